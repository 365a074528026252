//! Worked traversals: register contents and the addresses they must give.

use super::walk::Row;

/// One worked traversal.
#[derive(Debug, Clone)]
pub struct Vector {
    /// Name as in the specification.
    pub id: &'static str,
    /// Rows in execution order.
    pub rows: Vec<Row>,
    /// Expected addresses.
    pub addresses: Vec<u64>,
}

/// (initial, step, end) of one loop.
type Loop = (u64, u64, u64);

const PROLOGUE: &[Loop] = &[(12, 1, 15), (0, 0, 0), (0, 0, 0)];
const TENSOR: &[Loop] = &[(0, 1, 2), (0, 6, 12), (0, 2, 6)];
const TENSOR_SIZE_4: &[Loop] = &[(0, 1, 2), (0, 6, 12), (0, 2, 8)];
const EPILOGUE: &[Loop] = &[(15, 1, 17), (0, 0, 0), (0, 0, 0)];
const PROLOGUE_AND_TENSOR: [u64; 15] = [12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11];

fn vector(id: &'static str, rows: &[(u64, &[Loop])], addresses: &[u64]) -> Vector {
    Vector {
        id,
        rows: rows.iter().map(|(b, l)| Row::new(*b, l)).collect(),
        addresses: addresses.to_vec(),
    }
}

/// The vectors TV1 to TV9, TV13, TV14 and TV17 of the specification, in which an offset wraps when
/// it reaches or exceeds its end.
pub fn vectors() -> Vec<Vector> {
    let tv1 = PROLOGUE_AND_TENSOR;
    let rows_1 = [(0, PROLOGUE), (0, TENSOR)];
    let rows_2 = [(0, PROLOGUE), (0, TENSOR_SIZE_4)];
    let rows_3 = [(0, PROLOGUE), (0, TENSOR), (0, EPILOGUE)];
    let eight: Vec<Loop> = (0..8).map(|c| (0, 1 << c, 2 << c)).collect();
    let all_256: Vec<u64> = (0..256).collect();
    vec![
        vector("TV1", &rows_1, &tv1),
        vector("TV2", &rows_2, &[&tv1[..], &[6, 7, 12, 13]].concat()),
        vector("TV3", &rows_3, &[&tv1[..], &[15, 16]].concat()),
        vector(
            "TV4",
            &[(4096, TENSOR), (8192, &[(0, 4, 12)])],
            &[
                4096, 4097, 4102, 4103, 4098, 4099, 4104, 4105, 4100, 4101, 4106, 4107, 8192, 8196,
                8200,
            ],
        ),
        vector(
            "TV5",
            &[(0, &[(0, 1, 2), (0, 2, 4), (0, 4, 12)])],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        ),
        vector(
            "TV6",
            &[(0, &[(20, 1, 23), (0, 3, 6)])],
            &[20, 21, 22, 23, 24, 25],
        ),
        vector(
            "TV7",
            &[(0, &[(2, 1, 5), (5, 5, 15)])],
            &[7, 8, 9, 12, 13, 14],
        ),
        vector("TV8", &[(0, &[(0, 2, 5)])], &[0, 2, 4]),
        vector(
            "TV9",
            &[(100, &[(0, 1, 2), (0, 7, 7), (0, 0, 0), (0, 10, 20)])],
            &[100, 101, 110, 111],
        ),
        vector(
            "TV13",
            &[
                (0, &[(50, 1, 52)]),
                (0, &[(60, 2, 64)]),
                (0, &[(0, 3, 9)]),
                (0, &[(70, 1, 71)]),
                (0, &[(80, 1, 82)]),
            ],
            &[50, 51, 60, 62, 0, 3, 6, 70, 80, 81],
        ),
        vector("TV14", &[(0, &eight)], &all_256),
        vector(
            "TV17",
            &[
                (0, PROLOGUE),
                (0, TENSOR),
                (100, &[(0, 1, 3), (0, 3, 6)]),
                (200, &[(0, 1, 2)]),
            ],
            &[&tv1[..], &[100, 101, 102, 103, 104, 105], &[200, 201]].concat(),
        ),
    ]
}

/// The vector of that name.
///
/// # Panics
/// If there is no such vector.
pub fn named(id: &str) -> Vector {
    vectors()
        .into_iter()
        .find(|v| v.id == id)
        .unwrap_or_else(|| panic!("no traversal vector is called {id}"))
}
