//! Tests that bring what they test with them.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario, all_claimed};

const RULE: &str = "subject-redefined";

/// Where the code stands and what it is, where the test stands, how it was and how it is.
const REDEFINED: &[(&str, &str, &str, &str, &str)] = &[
    (
        "src/shop/prices.py",
        "def price(n):\n    return n * 10\n",
        "tests/test_prices.py",
        "from shop.prices import price\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "def price(n):\n    return 20\n\n\ndef test_price():\n    assert price(2) == 20\n",
    ),
    (
        "shop/cart.py",
        "class Cart:\n    def total(self):\n        return sum(self.items)\n",
        "tests/test_cart.py",
        "import pytest\nfrom shop.cart import Cart\n\n\ndef test_total():\n    cart = Cart()\n    assert cart.total() == 0\n",
        "import pytest\n\n\nclass Cart:\n    def total(self):\n        return 0\n\n\ndef test_total():\n    cart = Cart()\n    assert cart.total() == 0\n",
    ),
    (
        "shop/tax.py",
        "def tax(n):\n    return n // 5\n\n\ndef net(n):\n    return n\n",
        "shop/tests/test_tax.py",
        "from ..tax import net, tax\n\n\ndef test_tax():\n    got = tax(10)\n    assert got == 2\n",
        "from ..tax import net\n\n\ndef tax(n):\n    return n // 5\n\n\ndef test_tax():\n    got = tax(10)\n    assert got == 2\n",
    ),
    (
        "src/prices.js",
        "export function price(n) {\n  return n * 10;\n}\n",
        "src/prices.test.js",
        "import { price } from './prices';\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "function price(n) {\n  return 20;\n}\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
    ),
    (
        "src/prices.js",
        "function price(n) {\n  return n * 10;\n}\nmodule.exports = { price };\n",
        "test/prices.test.js",
        "const { price } = require('../src/prices');\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "const price = (n) => 20;\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
    ),
    (
        "src/Cart.js",
        "export default class Cart {\n  total() {\n    return 3;\n  }\n}\n",
        "src/Cart.test.js",
        "import Cart from './Cart.js';\n\nit('adds', () => {\n  const cart = new Cart();\n  expect(cart.total()).toBe(0);\n});\n",
        "class Cart {\n  total() {\n    return 0;\n  }\n}\n\nit('adds', () => {\n  const cart = new Cart();\n  expect(cart.total()).toBe(0);\n});\n",
    ),
    (
        "src/prices.ts",
        "export function price(n: number) {\n  return n * 10;\n}\n",
        "src/prices.test.ts",
        "import { price } from './prices';\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "function price(n: number) {\n  return 20;\n}\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
    ),
    (
        "src/prices/index.ts",
        "export const price = (n: number) => n * 10;\n",
        "src/tests/prices.spec.ts",
        "import { price, net } from '../prices';\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "import { net } from '../prices';\n\nconst price = (n: number) => n * 10;\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
    ),
    (
        "src/cart.ts",
        "export class Cart {\n  total() {\n    return 3;\n  }\n}\n",
        "src/cart.test.ts",
        "import { Cart } from './cart.js';\n\nit('adds', () => {\n  expect(new Cart().total()).toBe(0);\n});\n",
        "class Cart {\n  total() {\n    return 0;\n  }\n}\n\nit('adds', () => {\n  expect(new Cart().total()).toBe(0);\n});\n",
    ),
];

#[test]
fn a_subject_that_the_test_defines_for_itself_is_told_of() {
    let paths: Vec<&str> = REDEFINED.iter().map(|(_, _, test, ..)| *test).collect();
    all_claimed(RULE, &paths);
    for (code, text, test, was, now) in REDEFINED {
        let scenario = Scenario::changing(test, was, now).and_keeping(code, text);
        let findings = scenario.findings(RULE);
        assert_eq!(findings.len(), 1, "{test}\n{now}");
        assert!(findings[0].blocks(Severity::Major), "{test}");
    }
}

#[test]
fn a_subject_that_is_gone_or_still_there_is_not() {
    for (code, text, test, was, now) in REDEFINED {
        // Nobody has it any more but the test.
        let moved = Scenario::changing(test, was, now).and_removing(code, text);
        assert_eq!(moved.lines(RULE), NOTHING, "{test}");
        let emptied = Scenario::changing(test, was, now).and_changing(code, text, "\n");
        assert_eq!(emptied.lines(RULE), NOTHING, "{test}");
        // A file that is new tests what it likes.
        let new = Scenario::adding(test, now).and_keeping(code, text);
        assert_eq!(new.lines(RULE), NOTHING, "{test}");
        // What helps tests may be written beside them.
        let names = |text: &str| {
            text.replace("price", "make_price")
                .replace("Cart", "FakeCart")
                .replace("tax(", "make_tax(")
                .replace("tax\n", "make_tax\n")
        };
        let helper = Scenario::changing(test, &names(was), &names(now)).and_keeping(code, &names(text));
        assert_eq!(helper.lines(RULE), NOTHING, "{test}");
    }
}

#[test]
fn what_hands_on_or_derives_is_no_copy() {
    let (code, text, test, was, _) = REDEFINED[0];
    for now in [
        "from shop import prices\n\n\ndef price(n):\n    return prices.price(n)\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "from shop.prices import price as real_price\n\n\ndef price(n):\n    return real_price(n)\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "import pytest\n\n\n@pytest.fixture\ndef price():\n    return 3\n\n\ndef test_price():\n    assert price == 3\n",
        "try:\n    from shop.prices import price\nexcept ImportError:\n    def price(n):\n        return 20\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "from shop.prices import Prices\n\n\ndef price(n):\n    return Prices().of(n)\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "import shop.prices as real\n\n\ndef price(n):\n    return real.Prices().of(n)\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "import subprocess\n\n\ndef price(n):\n    return int(subprocess.check_output(['shop', str(n)]))\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "import shop\n\n\ndef price(n):\n    return shop.find(n)\n\n\ndef test_price():\n    assert price(2) == 20\n",
        "from shop.prices import price\n\n\ndef net(n):\n    return n\n\n\ndef test_price():\n    assert price(2) == 20\n",
    ] {
        let scenario = Scenario::changing(test, was, now).and_keeping(code, text);
        assert_eq!(scenario.lines(RULE), NOTHING, "{now}");
    }
    // It only lays out what the test is given.
    let batched = "from shop.prices import price\n\n\ndef test_b():\n    for one in price([1, 2]):\n        use(one)\n    assert done()\n";
    let own = batched.replace("from shop.prices import price\n", "def price(n):\n    return n\n");
    let scenario = Scenario::changing(test, batched, &own).and_keeping(code, text);
    assert_eq!(scenario.lines(RULE), NOTHING);
    let (code, text, test, was, _) = REDEFINED[6];
    for now in [
        "import * as shop from './prices';\n\nconst price = (n: number) => shop.compute(n);\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "import { compute } from './prices';\n\nfunction price(n: number) {\n  return compute(n);\n}\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "import { app } from '@/app';\n\nconst price = (n: number) => app.price(n);\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
        "let price: Function;\nbeforeEach(async () => {\n  price = (await import('./prices')).price;\n});\n\nit('prices', () => {\n  expect(price(2)).toBe(20);\n});\n",
    ] {
        let scenario = Scenario::changing(test, was, now).and_keeping(code, text);
        assert_eq!(scenario.lines(RULE), NOTHING, "{now}");
    }
    let (code, text, test, was, now) = REDEFINED[8];
    let derived = now.replace("class Cart {", "class Cart extends Base {");
    let scenario = Scenario::changing(test, was, &derived).and_keeping(code, text);
    assert_eq!(scenario.lines(RULE), NOTHING);
}
