// Shared by the libraries of CUB's functions: the export attribute, and a text with the versions of CUB and the compiler.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>

#define PEER extern "C" __attribute__((visibility("default")))

PEER const char* peer_describe()
{
  static char text[128];
  snprintf(text, sizeof text, "CUB %d.%d.%d, nvcc %d.%d", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000,
           CUB_VERSION % 100, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
  return text;
}
