# Formulas in the wrong place, factors without a level, and methods of damaged models.

d <- two_classes()
nothing <- transform(d, k = NA_character_)
grouped <- with_group()
fresh <- suppressWarnings(
  vpsvm(y ~ outer(a, unique(a), "-"), d[1:5, ], gamma = 1, lambda = 0.1)
)
damaged <- structure(list(version = "0.1.0"), class = "vpsvm")

test_that("what is wrong is named", {
  expect_refusals(alist(
    vpsvm(x = y ~ a, data = d), kbp(x = y ~ a, data = d), vpsvm(y ~ factor(k) + a, nothing),
    vpsvm(y ~ factor(k) + log(c), grouped, scale = c(TRUE, FALSE)), fitted(damaged),
    residuals(damaged), coef(damaged), nobs(damaged), predict(fresh, d[1:3, ])
  ))
})

test_that("new rows may lack all values of a factor that the formula makes", {
  fit <- vpsvm(y ~ factor(k) + a, grouped, gamma = 1, lambda = 0.01)
  expect_identical(is.na(predict(fit, transform(grouped[1:2, ], k = NA))), c(TRUE, TRUE))
})
