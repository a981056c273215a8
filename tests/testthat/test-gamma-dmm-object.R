# What becomes of a gamma_dmm() object: its methods, its use by the fitters, damaged ones.

d <- two_classes()
X <- d[-1]
g <- gamma_dmm(y ~ ., d)

test_that("update() and formula() work on a width made from a formula", {
  expect_equal(formula(g), y ~ a + b + c, ignore_formula_env = TRUE)
  fewer <- update(g, . ~ . - a)
  expect_identical(fewer$gamma, gamma_dmm(y ~ b + c, d)$gamma)
  expect_identical(update(g, lambda = 0.2)$gamma, gamma_dmm(y ~ ., d, lambda = 0.2)$gamma)
  logs <- gamma_dmm(y ~ exp(a) + b, d)
  expect_identical(update(logs, . ~ . - b)$columns, "exp(a)")
})

test_that("format() and summary() show the width", {
  expect_identical(format(g), format(g$gamma, digits = 4))
  expect_identical(format(g, digits = 8), format(g$gamma, digits = 8))
  expect_snapshot(summary(gamma_dmm(Species ~ ., iris, "pair_min")))
  expect_snapshot(print(suppressWarnings(gamma_dmm(cbind(c(1, 3)), c("p", "q"), scale = FALSE))))
  expect_identical(summary(g)$width, g)
})

test_that("the fitters match its columns by name", {
  scaled <- gamma_dmm(X, d$y, scale = c(a = TRUE, b = FALSE, c = TRUE))
  fit <- function(x, gamma) vpsvm(x, d$y, gamma = gamma, lambda = 0.01)
  plain <- vpsvm(X[3:1], d$y, gamma = scaled$gamma, lambda = 0.01, scale = c(TRUE, FALSE, TRUE))
  by_object <- fit(X[3:1], scaled)
  expect_identical(predict(by_object, X, "decision"), predict(plain, X, "decision"))
  expect_equal(predict(by_object, X, "decision"), predict(fit(X, scaled), X, "decision"),
               tolerance = 1e-6)
  grouped <- with_group()
  width <- gamma_dmm(y ~ k + a + b, grouped)
  expect_equal(predict(kos(y ~ b + a + k, grouped, gamma = width), grouped, "decision"),
               predict(kos(y ~ k + a + b, grouped, gamma = width), grouped, "decision"))
})

test_that("a saved width is the same in another process", {
  again <- in_child(
    list(as.numeric(g), predict(kos(X, y, gamma = g), X, type = "decision")),
    list(g = g, X = X, y = d$y)
  )
  expect_identical(again, list(g$gamma, predict(kos(X, d$y, gamma = g), X, type = "decision")))
})

test_that("a damaged width is refused wherever it is used", {
  without <- function(part) {
    g[[part]] <- NULL
    g
  }
  negative <- utils::modifyList(g, list(gamma = -1))
  empty <- structure(list(), class = "gamma_dmm")
  expect_refusals(alist(
    print(negative), print(empty), as.numeric(negative), as.numeric(empty), plot(empty),
    summary(empty), format(negative), vpsvm(X, d$y, gamma = negative),
    vpsvm(X, d$y, gamma = without("scaling")), kos(X, d$y, gamma = without("columns")),
    vpsvm(X, d$y, gamma = empty), plot(without("d")), format(g, digits = 40),
    print(summary(g), digits = 30), summary(g, 3)
  ))
  for (part in setdiff(names(g), c("closest", "coincident", "version", "call", "formula"))) {
    expect_flexkern_error(print(without(part)), "do not fit together")
  }
})

test_that("a width that is not positive is refused without offering NULL where there is none", {
  expect_refusals(alist(
    kos(X, d$y, gamma = 0), kos(X, d$y, gamma = "auto"), kos(X, d$y, gamma = c(1, -1))
  ))
})
