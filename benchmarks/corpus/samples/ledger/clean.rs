use std::collections::BTreeMap;

/// Balances by name, in cents.
#[derive(Debug, Default)]
pub struct Ledger {
    balances: BTreeMap<String, u64>,
}

impl Ledger {
    /// Returns a ledger without accounts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds to an account, which is opened when it is new.
    pub fn deposit(&mut self, name: &str, cents: u64) {
        *self.balances.entry(name.to_owned()).or_default() += cents;
    }

    /// Moves money, or leaves everything as it is when there is too little.
    pub fn transfer(&mut self, from: &str, to: &str, cents: u64) -> Result<(), String> {
        let left = self
            .balance(from)
            .checked_sub(cents)
            .ok_or_else(|| "insufficient funds".to_owned())?;
        self.balances.insert(from.to_owned(), left);
        self.deposit(to, cents);
        Ok(())
    }

    /// Returns what an account holds; an unknown one holds nothing.
    pub fn balance(&self, name: &str) -> u64 {
        self.balances.get(name).copied().unwrap_or(0)
    }

    /// Returns what all accounts hold together.
    pub fn total(&self) -> u64 {
        self.balances.values().sum()
    }
}
