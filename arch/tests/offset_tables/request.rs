//! Requests and their faults.

use heddle_arch::offsets::Request;

#[track_caller]
fn request_refused(text: &str, messages: &[&str]) {
    let faults = Request::from_json(text).expect_err("a faulty request").0;
    let found: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(found, messages);
}

#[test]
fn requests_name_their_faults() {
    let none = "convolution, fully_connected and matrix: 0 are there, expected one";
    request_refused("{}", &[none]);
    request_refused(
        r#"{
  "convolution": {
    "channels": 0, "height": 3, "width": 3,
    "outputs": 1, "kernel": [4, 3],
    "layout": "hwnc"
  }
}"#,
        &[
            "line 3: convolution.channels is 0, expected a whole number from 1 to 65535",
            "line 5: convolution.layout is \"hwnc\", expected \"nchw\", \"cnhw\", \"nhwc\" or \
             \"nchw_vector\"",
        ],
    );
    request_refused(
        r#"{"element_bytes": 2, "unit_shift": 2, "convolution": {"channels": 6, "height": 3, "width": 3,
 "outputs": 5, "groups": 3, "vector": 4,
 "kernel": [4, 17], "padding": {"left": 7, "right": 7}, "pad": "mask"}}"#,
        &[
            "line 1: element_bytes is 2, expected a multiple of 4, 2^unit_shift",
            "line 1: convolution.height is 3 with its padding, expected at least 4, the height of \
             the dilated filter",
            "line 2: convolution.outputs is 5, expected a multiple of 3, the groups",
            "line 2: convolution.vector is 4, expected 1 without the layout \"nchw_vector\"",
            "line 3: convolution.kernel[1] is 17, expected at most 16 with masks",
        ],
    );
    let vector = r#"{"convolution": {"channels": 6, "height": 3, "width": 3, "outputs": 2,
 "groups": 2, "kernel": [1, 1], "layout": "nchw_vector", "vector": 2}}"#;
    let expected =
        "line 2: convolution.vector is 2, expected a divisor of 3, the channels of a group";
    request_refused(vector, &[expected]);
    let matrix =
        r#"{"matrix": {"rows": 5, "depth": 7, "outputs": 1, "leading": 4, "transposed": true}}"#;
    let expected = "line 1: matrix.leading is 4, expected at least 5, the length of a line";
    request_refused(matrix, &[expected]);
    let large = r#"{"convolution": {"channels": 65535, "height": 65535, "width": 65535, "outputs": 1,
 "images": 65535, "kernel": [1, 2]}}"#;
    request_refused(
        large,
        &[
            "the tensor has 18445618199572250625 bytes, expected at most 2147483648",
            "the GEMM has 281457797169150 rows, expected at most 65535",
            "the GEMM has 131070 taps, expected at most 65535",
        ],
    );
}

#[test]
fn tensors_are_measured() {
    let bytes = |text: &str| Request::from_json(text).expect("a request").tensor_bytes();
    let conv = r#"{"element_bytes": 2, "convolution": {"channels": 2, "height": 6, "width": 7,
 "outputs": 2, "images": 2, "kernel": [2, 3]}}"#;
    assert_eq!(bytes(conv), 336);
    let border = r#"{"convolution": {"channels": 1, "height": 3, "width": 3, "outputs": 1,
 "kernel": [3, 3], "padding": {"top": 1, "bottom": 1, "left": 1, "right": 1}}}"#;
    assert_eq!(bytes(border), 25);
    let mask = border.replace("[3, 3]", "[3, 3], \"pad\": \"mask\"");
    assert_eq!(bytes(&mask), 9);
    assert_eq!(
        bytes(r#"{"fully_connected": {"inputs": 10, "outputs": 3, "images": 4}}"#),
        40
    );
    let matrix = r#"{"matrix": {"rows": 5, "depth": 7, "outputs": 1, "leading": 9}}"#;
    assert_eq!(bytes(matrix), 4 * 9 + 7);
    let transposed = matrix.replace("9}", "9, \"transposed\": true}");
    assert_eq!(bytes(&transposed), 6 * 9 + 5);
}
