use serde_json::Value;

use super::trouble::Trouble;

/// Fields of a service's answer by pointer (`/head/sha`). What has to be there and is not makes the answer unreadable.
pub(crate) trait Fields {
    fn text(&self, pointer: &str) -> Result<String, Trouble>;
    fn text_if(&self, pointer: &str) -> Option<String>;
    fn number(&self, pointer: &str) -> Result<u64, Trouble>;
    fn number_if(&self, pointer: &str) -> Option<u64>;
    fn is(&self, pointer: &str) -> bool;
    fn list(&self, pointer: &str) -> &[Value];
    /// The texts of a list, or a text of each of its entries.
    fn texts(&self, pointer: &str, of_each: &str) -> Vec<String>;

    /// Empty if there is none.
    fn text_or_empty(&self, pointer: &str) -> String {
        self.text_if(pointer).unwrap_or_default()
    }
}

impl Fields for Value {
    fn text(&self, pointer: &str) -> Result<String, Trouble> {
        self.text_if(pointer).ok_or_else(|| missing(pointer))
    }

    fn text_if(&self, pointer: &str) -> Option<String> {
        match self.pointer(pointer)? {
            Value::String(text) => Some(text.clone()),
            // Some services write their ids as numbers.
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn number(&self, pointer: &str) -> Result<u64, Trouble> {
        self.number_if(pointer).ok_or_else(|| missing(pointer))
    }

    fn number_if(&self, pointer: &str) -> Option<u64> {
        self.pointer(pointer)?.as_u64()
    }

    fn is(&self, pointer: &str) -> bool {
        self.pointer(pointer).and_then(Value::as_bool).unwrap_or(false)
    }

    fn list(&self, pointer: &str) -> &[Value] {
        self.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn texts(&self, pointer: &str, of_each: &str) -> Vec<String> {
        let text = |item: &Value| item.text_if("").or_else(|| item.text_if(of_each));
        self.list(pointer).iter().filter_map(text).collect()
    }
}

fn missing(pointer: &str) -> Trouble {
    Trouble::unreadable(format!("the answer has no {}", pointer.trim_start_matches('/').replace('/', ".")))
}
