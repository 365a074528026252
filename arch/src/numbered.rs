//! Enumerations whose values have a number and a name in a document.

/// Makes one of a list in which each value stands once, with its number and its name.
macro_rules! numbered {
    ($(#[$meta:meta])* $enum:ident: $number:ty {
        $($(#[$doc:meta])+ $value:ident = $code:literal $name:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $enum {
            $($(#[$doc])+ $value = $code,)+
        }

        impl $enum {
            /// All of them in the order of their numbers.
            pub const ALL: [$enum; [$($code),+].len()] = [$($enum::$value),+];

            /// Its number.
            pub const fn number(self) -> $number {
                self as $number
            }

            /// The one with this number.
            pub fn from_number(number: $number) -> Option<$enum> {
                Self::ALL.into_iter().find(|found| found.number() == number)
            }

            /// Its name in the document.
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$value => $name,)+
                }
            }
        }
    };
}
