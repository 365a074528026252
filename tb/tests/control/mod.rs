//! Programs on emitted machines against what was worked out by hand.

mod copies;
mod issue;
mod kept_word;
