//! .npy files written from the format's description, without the crate that reads them.

/// A file of version `major`.0 with a header text that is written unchanged.
pub(crate) fn with_header(major: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([major, 0]);
    match major {
        1 => file.extend(u16::try_from(header.len()).expect("a short header").to_le_bytes()),
        _ => file.extend(u32::try_from(header.len()).expect("a short header").to_le_bytes()),
    }
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

/// The header text, padded so that the data of a version `major` file begins at a multiple of 64.
pub(crate) fn header(major: u8, descr: &str, fortran: bool, shape: &str) -> String {
    let fortran = if fortran { "True" } else { "False" };
    let dict = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}");
    let before = if major == 1 { 10 } else { 12 };
    let padding = (before + dict.len() + 1).next_multiple_of(64) - (before + dict.len() + 1);
    dict + &" ".repeat(padding) + "\n"
}

/// A version 1.0 file in C order.
pub(crate) fn file(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    with_header(1, &header(1, &format!("'{descr}'"), false, shape), data)
}

/// An element type of the format.
pub(crate) trait Scalar: bytemuck::Pod {
    const CODE: &'static str;
    fn to_be(self) -> Vec<u8>;
    fn to_le(self) -> Vec<u8>;
}

macro_rules! scalars {
    ($($scalar:ty: $code:literal),*) => { $(
        impl Scalar for $scalar {
            const CODE: &'static str = $code;
            fn to_be(self) -> Vec<u8> {
                self.to_be_bytes().to_vec()
            }
            fn to_le(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )* };
}
scalars!(i32: "i4", u32: "u4", i64: "i8", u64: "u8", f32: "f4", f64: "f8");

pub(crate) fn little<T: Scalar>(x: &[T]) -> Vec<u8> {
    x.iter().flat_map(|x| x.to_le()).collect()
}

/// A little-endian vector.
pub(crate) fn vector<T: Scalar>(x: &[T]) -> Vec<u8> {
    file(&format!("<{}", T::CODE), &format!("({},)", x.len()), &little(x))
}

/// A big-endian vector.
pub(crate) fn big_vector<T: Scalar>(x: &[T]) -> Vec<u8> {
    let data: Vec<u8> = x.iter().flat_map(|x| x.to_be()).collect();
    file(&format!(">{}", T::CODE), &format!("({},)", x.len()), &data)
}
