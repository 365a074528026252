//! How much a file holds, before it is read: a list of messages takes far more memory than its bytes in the file.

use super::schema::{Head, Model};
use prost::Message;

/// Largest file.
const BYTES_MAX: usize = 1 << 30;
/// Most fields of messages.
const FIELDS_MAX: usize = 1 << 20;
/// Most bytes of numbers in lists, whose elements may be longer than their bytes in the file.
const NUMBERS_MAX: usize = 64 << 20;

/// Fields that are read: number, and what a message there is; those of 4 and 8 bytes or of text end a path.
struct Fields {
    messages: &'static [(u64, &'static Fields)],
    /// Lists of numbers.
    numbers: &'static [u64],
}

const fn fields(messages: &'static [(u64, &'static Fields)], numbers: &'static [u64]) -> Fields {
    Fields { messages, numbers }
}

static LEAF: Fields = fields(&[], &[]);
static TENSOR: Fields = fields(&[(13, &LEAF)], &[1, 4, 5, 7]);
static ATTRIBUTE: Fields = fields(&[(5, &TENSOR)], &[7, 8]);
static NODE: Fields = fields(&[(5, &ATTRIBUTE)], &[]);
static SHAPE: Fields = fields(&[(1, &LEAF)], &[]);
static TENSOR_TYPE: Fields = fields(&[(2, &SHAPE)], &[]);
static TYPE: Fields = fields(&[(1, &TENSOR_TYPE)], &[]);
static VALUE_INFO: Fields = fields(&[(2, &TYPE)], &[]);
static GRAPH: Fields = fields(
    &[
        (1, &NODE),
        (5, &TENSOR),
        (11, &VALUE_INFO),
        (12, &VALUE_INFO),
        (13, &VALUE_INFO),
    ],
    &[],
);
static MODEL: Fields = fields(&[(7, &GRAPH), (8, &LEAF)], &[]);

/// Whether a file has a version and a graph.
pub fn is_onnx(bytes: &[u8]) -> bool {
    Head::decode(bytes).is_ok_and(|head| head.ir_version > 0 && head.graph.is_some())
}

/// The messages of a file.
///
/// # Errors
/// If it is damaged or holds too much.
pub fn decode(bytes: &[u8]) -> Result<Model, String> {
    if bytes.len() > BYTES_MAX {
        return Err(format!("has more than {} MiB", BYTES_MAX >> 20));
    }
    let mut count = Count::default();
    count.add(bytes, &MODEL).ok_or("is damaged")?;
    if count.fields > FIELDS_MAX || count.numbers > NUMBERS_MAX {
        return Err(format!(
            "has more than {FIELDS_MAX} fields, or {} MiB of numbers in lists: expected constants as raw data",
            NUMBERS_MAX >> 20
        ));
    }
    Model::decode(bytes).map_err(|error| format!("is damaged: {error}"))
}

/// What was found, up to a limit.
#[derive(Default)]
struct Count {
    fields: usize,
    numbers: usize,
}

impl Count {
    /// Adds a message; none if its bytes end too early.
    fn add(&mut self, mut bytes: &[u8], of: &Fields) -> Option<()> {
        while !bytes.is_empty() && self.fields <= FIELDS_MAX {
            let key = varint(&mut bytes)?;
            let number = key >> 3;
            let is_list = of.numbers.contains(&number);
            match is_list {
                true => self.numbers += 8,
                false => self.fields += 1,
            }
            let length = match key & 7 {
                0 => {
                    varint(&mut bytes)?;
                    continue;
                }
                1 => 8,
                2 => usize::try_from(varint(&mut bytes)?).ok()?,
                5 => 4,
                // Groups are in no file of this schema.
                _ => return None,
            };
            let (content, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            if is_list {
                self.numbers += content.len();
            }
            if let Some((_, of)) = of.messages.iter().find(|(found, _)| *found == number) {
                self.add(content, of)?;
            }
        }
        Some(())
    }
}

/// A number of up to 64 bits, seven in each byte.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let length = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)? + 1;
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    let digits = number.iter().rev();
    Some(digits.fold(0, |found, digit| found << 7 | u64::from(digit & 0x7f)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_much_memory_is_refused_before_it_is_read() {
        let message = |number: u8, content: &[u8]| {
            let length = content.len();
            let digits = [
                length & 0x7f | 0x80,
                length >> 7 & 0x7f | 0x80,
                length >> 14 & 0x7f | 0x80,
                length >> 21,
            ];
            let digits = digits.map(|digit| digit as u8);
            [&[number << 3 | 2], &digits[..], content].concat()
        };
        let file = |graph: &[u8]| [&[8, 9][..], &message(7, graph)].concat();
        assert!(is_onnx(&file(&[])) && decode(&file(&[])).is_ok());
        let nodes = |count: usize| file(&[1 << 3 | 2, 0].repeat(count));
        assert!(decode(&nodes(1 << 19)).is_ok());
        assert!(decode(&nodes(1 << 20)).unwrap_err().contains("fields"));
        let numbers = |count: usize| file(&message(5, &message(7, &vec![1; count])));
        assert!(decode(&numbers(1 << 20)).is_ok());
        assert!(decode(&numbers(64 << 20)).unwrap_err().contains("MiB"));
        assert!(!is_onnx(b"{\"format\": \"heddle-network-1\"}"));
        assert!(!is_onnx(&[]) && !is_onnx(b"TFL3TFL3") && decode(&[0x3a, 200]).is_err());
    }
}
