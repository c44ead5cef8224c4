//! Lists of functions with names, for owned values.

/// A list of functions from `T` to `T`.
pub struct Pipeline<T> {
    stages: Vec<(Option<String>, Box<dyn FnMut(T) -> T>)>,
}

impl<T: 'static> Pipeline<T> {
    /// A pipeline without stages.
    pub fn new() -> Self {
        Self { stages: Vec::new() }
    }

    /// Adds a function.
    #[allow(clippy::should_implement_trait)]
    pub fn add(mut self, f: impl FnMut(T) -> T + 'static) -> Self {
        self.stages.push((None, Box::new(f)));
        self
    }

    /// Adds a function with a name.
    pub fn named(mut self, name: impl Into<String>, f: impl FnMut(T) -> T + 'static) -> Self {
        self.stages.push((Some(name.into()), Box::new(f)));
        self
    }

    /// Adds a function.
    pub fn push(&mut self, f: Box<dyn FnMut(T) -> T>) {
        self.stages.push((None, f));
    }

    /// Runs all stages.
    pub fn run(&mut self, value: T) -> T {
        self.stages.iter_mut().fold(value, |value, (_, f)| f(value))
    }

    /// How many stages there are.
    pub fn len(&self) -> usize {
        self.stages.len()
    }

    /// Whether there are no stages.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// The names that there are.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.stages.iter().filter_map(|(name, _)| name.as_deref())
    }
}

impl<T: 'static> Default for Pipeline<T> {
    fn default() -> Self {
        Self::new()
    }
}
