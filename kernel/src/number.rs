//! Parameters as numbers.

/// A value that can be a parameter of a module.
pub trait Number {
    /// The value as it stands in the name of the module.
    fn number(&self) -> usize;
}

macro_rules! number {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            fn number(&self) -> usize {
                *self as usize
            }
        }
    )*};
}
number!(usize, u32, u64, i32, bool);
