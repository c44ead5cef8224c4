mod a {
    #[no_mangle]
    pub extern "C" fn twice() {}
}
mod b {
    #[no_mangle]
    pub extern "C" fn twice() {}
}
