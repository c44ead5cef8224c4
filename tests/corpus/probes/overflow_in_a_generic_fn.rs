pub fn f<T>(_: T) -> u8 {
    255u8 + 1
}
