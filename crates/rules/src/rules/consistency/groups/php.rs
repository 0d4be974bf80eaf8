//! Packages of PHP that do the same job.

use super::{Group, group};

pub(super) static PHP: &[Group] = &[
    group(
        "HTTP requests",
        &["guzzlehttp/guzzle", "symfony/http-client", "kriswallsmith/buzz", "rmccue/requests"],
    ),
    group("logging", &["monolog/monolog|symfony/monolog-bundle", "apache/log4php", "laminas/laminas-log"]),
    group(
        "running tests",
        &[
            "phpunit/phpunit|pestphp/pest|symfony/phpunit-bridge",
            "codeception/codeception",
            "atoum/atoum",
            "kahlan/kahlan",
            "phpspec/phpspec",
        ],
    ),
    group("mocks", &["mockery/mockery", "phpspec/prophecy|phpspec/prophecy-phpunit"]),
    group(
        "databases",
        &[
            "doctrine/orm|doctrine/doctrine-bundle",
            "illuminate/database",
            "propel/propel",
            "cycle/orm",
            "j4mie/idiorm",
        ],
    ),
    group(
        "templates",
        &[
            "twig/twig|symfony/twig-bundle",
            "smarty/smarty",
            "league/plates",
            "latte/latte",
            "mustache/mustache",
        ],
    ),
    group("dates and times", &["nesbot/carbon", "cakephp/chronos"]),
    group(
        "dependency injection",
        &["php-di/php-di", "league/container", "pimple/pimple", "symfony/dependency-injection"],
    ),
    group(
        "mail",
        &["symfony/mailer", "phpmailer/phpmailer", "swiftmailer/swiftmailer", "laminas/laminas-mail"],
    ),
    group("unique ids", &["ramsey/uuid", "symfony/uid"]),
    group("settings from the environment", &["vlucas/phpdotenv", "symfony/dotenv"]),
    group("routes", &["nikic/fast-route", "league/route", "bramus/router", "symfony/routing"]),
    group("signed tokens", &["firebase/php-jwt", "lcobucci/jwt", "web-token/jwt-framework"]),
    group("caches", &["symfony/cache", "tedivm/stash", "phpfastcache/phpfastcache", "doctrine/cache"]),
    group("images", &["intervention/image", "imagine/imagine"]),
    group(
        "checking data",
        &["respect/validation", "symfony/validator", "rakit/validation", "vlucas/valitron"],
    ),
    group(
        "web applications",
        &["laravel/framework", "slim/slim", "symfony/framework-bundle", "cakephp/cakephp", "yiisoft/yii2"],
    ),
];
