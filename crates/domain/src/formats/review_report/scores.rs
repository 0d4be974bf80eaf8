use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::words::{Dimension, Weight};

/// The scores by dimension: a JSON object whose keys keep their order, the built-in dimensions first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DimensionScores(pub Vec<(String, ScoredDimension)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredDimension {
    #[schemars(range(min = 0, max = 100))]
    pub score: i64,
    pub weight: Weight,
}

impl DimensionScores {
    pub fn get(&self, dimension: &Dimension) -> Option<ScoredDimension> {
        self.0.iter().find(|(name, _)| name == dimension.as_str()).map(|(_, scored)| *scored)
    }
}

impl Serialize for DimensionScores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, scored)| (name, scored)))
    }
}

impl<'de> Deserialize<'de> for DimensionScores {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = DimensionScores;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a score and a weight per dimension")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut scores = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    scores.push(entry);
                }
                Ok(DimensionScores(scores))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// The built-in dimensions are required, a project's own are welcome.
impl JsonSchema for DimensionScores {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DimensionScores".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = BTreeMap::<String, ScoredDimension>::json_schema(generator);
        let names = Dimension::BUILT_IN.map(|(dimension, _)| dimension.as_str().to_owned());
        schema.insert("required".into(), names.to_vec().into());
        schema
    }
}
