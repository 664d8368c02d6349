/* Finds the driver's functions at run time, so that a program that can use a GPU starts on a machine without one. */

#include <dlfcn.h>

/* CUDA_ERROR_STUB_LIBRARY: what NVIDIA's own stub of libcuda answers. Here: there is no driver. */
static int no_driver(void) { return 34; }

/* CUDA_ERROR_NOT_FOUND: there is a driver, but it is older than the function asked for. */
static int not_found(void) { return 500; }

static const char *const names[] = {
#define CU(name) #name,
#include "names.inc"
#undef CU
};

/* The table that entries.S jumps through. */
extern void *warpfold_driver_table[] __attribute__((visibility("hidden")));

/* Called by entries.S for a function's first call: answers what to jump to, and keeps it for the next. Threads may
   meet here: dlopen counts its callers and answers all the same, so each stores the same address. The library is
   never closed: the table points into it. */
__attribute__((visibility("hidden"))) void *warpfold_driver_resolve(unsigned index) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, names[index]) : (void *)no_driver;
    if (!function) function = (void *)not_found;
    __atomic_store_n(&warpfold_driver_table[index], function, __ATOMIC_RELEASE);
    return function;
}
