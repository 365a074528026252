//! Nests that are refused: place, kind and message.

use crate::nest::{refused as check, unit};

#[test]
fn texts_that_leave_the_grammar_are_refused_with_their_place() {
    check(
        &unit(),
        &[
            "Syntax | A | line 1, column 2: found the end, expected `[` behind array A",
            "Syntax | A[] | line 1, column 3: found `]`, expected an index or a number",
            "Syntax | A[i | line 1, column 4: found the end, expected `]` behind a subscript",
            "Syntax | A[i*j] | line 1, column 5: found a product of two indices, expected number * index",
            "Syntax | A[(i)] | line 1, column 3: found '(', which has no meaning in a nest",
            "Syntax | A[1.5] | line 1, column 4: found '.', which has no meaning in a nest",
            "Syntax | } | line 1, column 1: found `}`, expected `for`, `array` or the use of an array",
            "Syntax | for 3 in 0..2 { A[0] } | line 1, column 5: found `3`, expected the index of a loop",
            "Syntax | for in in 0..2 { A[0] } | line 1, column 5: found `in`, expected the index of a loop",
            "Syntax | for i = 0..2 { A[i] } | line 1, column 7: found `=`, expected `in` behind index i",
            "Syntax | for i in 0,2 { A[i] } | line 1, column 11: found `,`, expected `..` between start and bound",
            "Syntax | for i in 0..n { A[i] } | line 1, column 13: found `n`, expected the bound of the index, a number",
            "Syntax | for i in a..2 { A[i] } | line 1, column 10: found `a`, expected the first value of the index, a number",
            "Syntax | for i in 0..=2 { A[i] } | line 1, column 13: found `=`, expected the bound of the index, a number",
            "Syntax | for i in 0..2 step { A[i] } | line 1, column 20: found `{`, expected a step, a number",
            "Syntax | for i in 0..2 A[i] | line 1, column 15: found `A`, expected `{` and the body of the loop",
            "Syntax | for i in 0..2 {\n A[i]\n | line 3, column 1: found the end, expected `}` behind the body of the loop",
            "Syntax | for i in 0..2 { array A[2] } | line 1, column 17: found `array`, expected `for` or the use of an array",
            "Syntax | for i in 0..2k { A[i] } | line 1, column 13: found `2k`, expected a number such as 12 or 0x1f",
            "Syntax | A[0x] | line 1, column 3: found `0x`, expected a number such as 12 or 0x1f",
            "Syntax | array A: 1 | line 1, column 8: found `:`, expected `[` and the size of a dimension",
            "Syntax | array A[-1] | line 1, column 9: found `-`, expected the size of a dimension",
            "Syntax | array A[2]: i7 A[0] | line 1, column 13: found `i7`, expected the size of an element in bytes or a type such as i8, i32 or f32",
            "Syntax | array A[2] at x | line 1, column 15: found `x`, expected a base address",
            "Syntax | array A[2] at 0 + -1 | line 1, column 19: found `-`, expected a displacement in bytes",
            "Syntax | array A[i: 2][2] order j | line 1, column 24: found `j`, expected a dimension from 0 to 1 or i",
            "Syntax | array A[2][2] order 0, 2 | line 1, column 24: found `2`, expected a dimension from 0 to 1",
            "Syntax | array A[2] pitch -4 | line 1, column 18: found `-`, expected a pitch in bytes",
            "Number | A[99999999999] | line 1, column 3: number is 99999999999, expected at most 4294967296",
            "Number | A[0x1_0000_0001] | line 1, column 3: number is 0x1_0000_0001, expected at most 4294967296",
            "Number | A[99999999999999999999] | line 1, column 3: number is 99999999999999999999, expected at most 4294967296",
            "Number | A[4294967296*4294967296*2] | line 1, column 1: A[9223372036854775807] has a number beyond 4294967296 in magnitude",
        ],
    );
}

#[proves("TTU-010", "TTU-011")]
#[test]
fn nests_without_meaning_are_refused_with_the_reason() {
    let deep = "for i in 0..2 { ".repeat(65) + "A[0]" + &" }".repeat(65);
    check(
        &unit(),
        &[
            "Structure |  | there is nothing to walk, expected a loop or the use of an array",
            "Structure | array A[2]; # only this | there is nothing to walk, expected a loop or the use of an array",
            "Structure | for i in 0..2 {} | line 1, column 1: loop i has an empty body",
            "Structure | for i in 0..2 { for j in 0..2 { } } | line 1, column 17: loop j has an empty body",
            &format!(
                "Structure | {deep} | line 1, column 1025: more than 64 loops inside one another"
            ),
            "Structure | for i in 0..2 { for i in 0..2 { A[i] } } | line 1, column 17: loop i lies inside another loop i",
            "Structure | for i in 0..2 { A[i] B[i] } | line 1, column 22: loop i walks A[i], so its body can hold nothing else; a loop of one iteration around A[i] makes room",
            "Structure | for i in 0..2 { A[i] } for i in 0..2 { for k in 0..2 { B[i][k] } } for i in 0..2 { C[i] D[i] } | line 1, column 89: loop i holds more than one statement, which only loops of the main nest may do",
            "Structure | for i in 0..2 { A[0] for k in 0..2 { B[k] } } for i in 0..2 { for k in 0..2 { C[k] } } | line 1, column 17: A belongs to a loop of the main nest, which only works with one main nest, here are 2",
            "Structure | for i in 0..2 { tensor A[0]; tensor B[0] } | line 1, column 37: loop i holds two statements marked `tensor`, expected one",
            "Dependent | for i in 0..2 { for h in 0..2 { A[i][h] } for k in 0..2 { B[i][k] } } | line 1, column 59: B[i][k] depends on i: a row attached to a loop of the main nest walks the same addresses each time",
            "UnknownIndex | A[i] | line 1, column 1: unknown index i in A[i], there is no loop around it",
            "UnknownIndex | for i in 0..2 { for j in 0..2 { A[i][k] } } | line 1, column 33: unknown index k in A[i][k], the loops around it are i, j",
            "NoIteration | for i in 0..0 { A[i] } | line 1, column 1: loop i has no iteration: 0..0 is empty",
            "Endless | for i in 0..5 step 0 { A[i] } | line 1, column 1: loop i never ends: step is 0",
            "Endless | for i in 0..5 step -1 { A[i] } | line 1, column 1: loop i never ends: its step from 0 to 5 is -1, expected a positive one",
            "Endless | for i in 5..0 { A[i] } | line 1, column 1: loop i never ends: its step from 5 to 0 is 1, expected a negative one",
        ],
    );
}

#[proves("TTU-020")]
#[test]
fn arrays_that_do_not_suit_their_uses_are_refused() {
    check(
        &unit(),
        &[
            "UnknownArray | array A[2]; B[0] | line 1, column 13: unknown array B, declared are A",
            "Subscripts | array A[2]; A[0][0] | line 1, column 13: A has 2 subscripts, expected 1",
            "Subscripts | A[0]; A[0][0] | line 1, column 7: A has 2 subscripts, expected 1",
            "OutOfBounds | array A[2]; for i in 0..3 { A[i] } | line 1, column 29: subscript i of A takes the values 0 to 2, expected 0 to 1",
            "OutOfBounds | array A[9]; for i in 0..3 { A[2*i - 1] } | line 1, column 29: subscript 2*i - 1 of A takes the values -1 to 3, expected 0 to 8",
            "OutOfBounds | for i in -2..3 { A[i] } | line 1, column 18: subscript i of A takes the values -2 to 2, expected 0 to 2",
            "Declaration | array A[2]; array A[2]; A[0] | line 1, column 19: array A is declared twice",
            "Declaration | array A[0]; A[0] | line 1, column 7: array A has a dimension of 0, expected 1 to 4294967296",
            "Declaration | array A[2]: 0; A[0] | line 1, column 7: array A has an element of 0, expected 1 to 4294967296",
            "Declaration | array A[2][2] order 0; A[0][0] | line 1, column 7: array A has an order that is not each of its dimensions once",
            "Declaration | array A[2][2] order 1, 1; A[0][0] | line 1, column 7: array A has an order that is not each of its dimensions once",
            "Declaration | array A[2][2] pitch 1; A[0][0] | line 1, column 7: array A has 1 pitches, expected 2",
            "Width | array A[65536][65537]; A[0][0] | line 1, column 7: array A has more than 4294967296 bytes",
            "Width | array A[4294967296]: 4294967296; A[0] | line 1, column 7: array A has more than 4294967296 bytes",
            "Width | array A[2] at 4294967295; A[0] | line 1, column 7: A lies from 4294967295 to 4294967296, addresses have 32 bits",
            "Width | A[4294967295] B[0] | line 1, column 15: B lies from 4294967296 to 4294967296, addresses have 32 bits",
            "OutOfBounds | A[4294967296] | line 1, column 1: subscript 4294967296 of A takes the values 4294967296 to 4294967296, expected 0 to 4294967295",
        ],
    );
}
