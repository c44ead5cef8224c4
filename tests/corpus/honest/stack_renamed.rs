use std::vec::Vec as Stack;
