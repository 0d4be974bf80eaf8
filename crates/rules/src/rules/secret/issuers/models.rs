//! Models and what is built around them.

use crate::rules::secret::detect::{Detector, guess, marked, token};
use crate::rules::secret::structured;
use crate::rules::secret::tokens::Alphabet::{AlphaNumeric, Base64, Hex, Url, Word};
use crate::rules::secret::tokens::{at_least, between, exactly};

const OPENAI: &str = "an OpenAI key";
const HUGGING_FACE: &str = "a Hugging Face token";
const LANGSMITH: &str = "a LangSmith key";
const LANGFUSE: &str = "a Langfuse key";

pub(super) const FORMATS: &[Detector] = &[
    token(b"sk-proj-", OPENAI, at_least(40, Url)),
    token(b"sk-svcacct-", OPENAI, at_least(40, Url)),
    token(b"sk-admin-", OPENAI, at_least(40, Url)),
    marked(b"T3BlbkFJ", OPENAI, Url, (20, 200), (20, 200)),
    token(b"sk-ant-", "an Anthropic key", at_least(40, Url)),
    token(b"sk-or-v1-", "an OpenRouter key", exactly(64, Hex)),
    token(b"sk-lf-", LANGFUSE, exactly(36, Url)),
    token(b"hf_", HUGGING_FACE, exactly(34, AlphaNumeric)),
    token(b"api_org_", HUGGING_FACE, exactly(34, AlphaNumeric)),
    token(b"gsk_", "a Groq key", exactly(52, AlphaNumeric)),
    token(b"xai-", "an xAI key", between(70, 120, Url)),
    token(b"pplx-", "a Perplexity key", between(48, 56, AlphaNumeric)),
    token(b"r8_", "a Replicate token", between(37, 40, AlphaNumeric).unless_by_chance()),
    token(b"tvly-", "a Tavily key", between(30, 60, Url).unless_by_chance()),
    token(b"nvapi-", "an NVIDIA key", between(60, 70, Url)),
    token(b"lsv2_pt_", LANGSMITH, between(32, 60, Word)),
    token(b"lsv2_sk_", LANGSMITH, between(32, 60, Word)),
    token(b"pcsk_", "a Pinecone key", at_least(60, Word)),
    token(b"csk-", "a Cerebras key", exactly(48, AlphaNumeric)),
    token(b"rpa_", "a RunPod key", between(30, 50, AlphaNumeric).unless_by_chance()),
    token(b"jina_", "a Jina key", between(50, 70, Url).unless_by_chance()),
    token(b"tgp_v1_", "a Together key", at_least(40, Url)),
    token(b"e2b_", "an E2B key", exactly(40, Hex)),
    token(b"sess-", OPENAI, exactly(40, AlphaNumeric).unless_by_chance()),
    token(b"sk-", "a key for a language model", exactly(32, Hex).unless_by_chance()),
    guess(b"elevenlabs", "an ElevenLabs key", structured::eleven_labs),
    token(b"bedrock-api-key-", "an Amazon Bedrock key", at_least(60, Base64)),
    token(b"fc-", "a Firecrawl key", exactly(32, Hex).unless_by_chance()),
    token(b"sk-", "a key in the form of OpenAI", exactly(48, Url).unless_by_chance()),
    token(b"llx-", "a LlamaCloud key", between(44, 52, AlphaNumeric)),
    token(b"wandb_v1_", "a Weights & Biases key", at_least(40, Word)),
    token(b"pa-", "a Voyage AI key", exactly(43, Url).unless_by_chance()),
    token(b"al-", "a Voyage AI key", exactly(43, Url).unless_by_chance()),
    token(b"fw_", "a Fireworks AI key", between(22, 26, AlphaNumeric).unless_by_chance()),
    token(b"sk_car_", "a Cartesia key", between(20, 32, AlphaNumeric)),
    token(b"unkey_", "an Unkey root key", at_least(20, AlphaNumeric).unless_by_chance()),
    token(b"sk-api-", "a MiniMax key", at_least(80, Url)),
    token(b"BSA", "a Brave Search key", between(24, 40, Url).unless_by_chance()),
    token(b"key_", "a Cursor key", exactly(64, Hex)),
    token(b"sk-None-", OPENAI, at_least(40, Url)),
    token(b"sk_", "an ElevenLabs key", exactly(48, Hex).unless_by_chance()),
    token(b"flp_", "a Friendli token", exactly(46, AlphaNumeric)),
    token(b"key_", "a Retell key", exactly(28, Hex).unless_by_chance()),
    token(b"live_auth_", "a Scale key", exactly(32, Hex)),
    token(b"m0-", "a Mem0 key", between(30, 44, AlphaNumeric).unless_by_chance()),
];
