# A level without a row in training is new, wherever it was declared: `novel` decides.

d <- with_group()
d$k <- factor(d$k, levels = c("r", "none", "s", "spare"))
new <- transform(d[1:3, ], k = factor(c("r", "spare", "s"), levels(d$k)))
formulas <- list(y ~ k + a, y ~ ., y ~ k * a, y ~ factor(k) + log(c), y ~ interaction(k, c > 2),
                 y ~ relevel(k, "s") + a)

for_each_fitter(list(
  "a level that was declared but never seen is new" = function(f) {
    for (formula in formulas) {
      m <- f$quick(formula, d)
      expect_flexkern_error(predict(m, new), "level `spare[`.]")
      expect_warning(p <- predict(m, new, novel = "na"), "1 row with a level")
      expect_identical(is.na(p), c(FALSE, TRUE, FALSE))
      expect_identical(p[-2], predict(m, new[-2, ]))
      expect_silent(p <- predict(m, new, novel = "ignore"))
      expect_false(anyNA(p))
      expect_false(anyNA(predict(m, d)))
    }
    x <- f$quick(d[c("k", "a")], d$y)
    expect_flexkern_error(predict(x, new), "`k` .* level `spare`")
  },
  "levels without a row change nothing" = function(f) {
    dropped <- droplevels(d)
    text <- transform(d, k = as.character(k))
    for (formula in formulas[1:5]) {
      m <- f$quick(formula, d)
      expect_same_model(m, f$quick(formula, dropped), dropped)
      expect_same_model(m, f$quick(formula, text), dropped)
    }
  },
  "a level that is only in rows left out is new" = function(f) {
    e <- transform(d, k = factor(replace(as.character(k), 1:4, "gone")))
    with_na <- transform(e, a = replace(a, 1:4, NA))
    fits <- list(
      f$quick(y ~ k + b, e, subset = 5:40), f$quick(y ~ k * b, e, subset = k != "gone"),
      f$quick(y ~ k + a, with_na, na.action = na.omit),
      f$quick(y ~ k + b, e, weights = as.numeric(k != "gone")),
      f$quick(y ~ factor(k) * b, e, weights = as.numeric(k != "gone"))
    )
    for (m in fits) {
      expect_flexkern_error(predict(m, e), "level `gone`")
      expect_length(predict(m, e[5:40, ]), 36)
      expect_false(anyNA(fitted(m)))
    }
    expect_same_model(fits[[4]], f$quick(y ~ k + b, e[5:40, ]), e[5:40, ])
  }
))

test_that("gamma_dmm() knows the levels of its rows", {
  expect_identical(gamma_dmm(y ~ k + a, d)$columns, c("kr", "ks", "a"))
  width <- gamma_dmm(y ~ k + a, d)
  one <- d[c(1:2, 5:12), ]
  one$k[] <- "r"
  expect_identical(vpsvm(y ~ k + a, one, gamma = width, lambda = 1)$blueprint$names, c("kr", "a"))
  expect_flexkern_error(vpsvm(y ~ a, one, gamma = width, lambda = 1), "the model has `a`")
  expect_flexkern_error(vpsvm(y ~ k, one, gamma = width, lambda = 1), "the model has `kr`")
  expect_identical(gamma_dmm(y ~ k + a, d)$gamma, gamma_dmm(y ~ k + a, droplevels(d))$gamma)
})
