pub type Stack<T> = Vec<T>;
