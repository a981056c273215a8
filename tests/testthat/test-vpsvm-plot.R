test_that("the error surface, the cells and the fit are drawn", {
  d <- two_classes()
  searched <- vpsvm(y ~ ., d, gamma = c(0.3, 1, 3), lambda = c(0.1, 0.01), seed = 1)
  expect_true(drawn(plot(searched)))
  expect_true(drawn(plot(searched, "cells", main = "Mine")))
  line <- vpsvm(y ~ ., d, gamma = c(0.3, 1, 3), lambda = 0.01, seed = 1)
  expect_true(drawn(plot(line, "cv")))
  line <- vpsvm(y ~ ., d, gamma = 1, lambda = c(0.1, 0.01), seed = 1)
  expect_true(drawn(plot(line, "cv", cell = 1)))
  flat <- vpsvm(y ~ a + b, d, cells = 3, gamma = 1, lambda = 0.01, seed = 1)
  expect_true(drawn(plot(flat)))
  r <- regression_data()
  expect_true(drawn(plot(vpsvm(t ~ u, r, gamma = 1, lambda = 0.01), type = "fit")))
  expect_true(drawn(plot(vpsvm(y ~ a, d, gamma = 1, lambda = 0.01), type = "fit")))
})

test_that("a transformed predictor is drawn over its transformed values", {
  r <- regression_data()
  curve_of <- function(m) {
    at <- main_plot(plot(m, type = "fit"))
    getFromNamespace("fit_curve", "flexkern")(m, at$x)
  }
  twice <- vpsvm(t ~ I(2 * u), r, gamma = 1, lambda = 0.01)
  curve <- curve_of(twice)
  expect_equal(range(curve$x), range(2 * r$u))
  expect_equal(curve$y, predict(twice, data.frame(u = curve$x / 2)))
  positive <- vpsvm(t ~ log(e), transform(r, e = exp(u)), gamma = 1, lambda = 0.01)
  curve <- curve_of(positive)
  expect_equal(curve$y, predict(positive, data.frame(e = exp(curve$x))))
})

test_that("rows have the color of their own cell, also in a margin", {
  d <- two_classes(200)
  m <- vpsvm(y ~ a + b, d, cells = 3, overlap = 1, gamma = 1, lambda = 0.01, seed = 1)
  args <- main_plot(plot(m, "cells"))
  expect_gt(length(args$x), 200)
  row <- match(round(args$x, 8), round(d$a, 8))
  expect_equal(as.vector(rowSums(table(args$col, m$cell[row]) > 0)), rep(1, 3))
})

test_that("the error surface shown first is that of the largest cell that was searched", {
  d <- data.frame(a = c(seq(0, 1, length.out = 20), seq(9, 10, length.out = 60)))
  d$y <- factor(rep(c("u", "v"), length.out = 80))
  d$y[21:80] <- "u"
  m <- vpsvm(y ~ a, d, cells = 2, gamma = 1:2, lambda = c(0.1, 0.01), seed = 1)
  expect_identical(which.max(m$cell.size), m$cell[80])
  expect_match(main_plot(plot(m))$main, paste("cell", m$cell[1]))
  expect_flexkern_error(plot(m, cell = m$cell[80]), "Nothing was searched")
})

test_that("an unsorted grid with repeated values is drawn from left to right", {
  d <- two_classes()
  m <- vpsvm(y ~ ., d, gamma = c(3, 0.3, 1, 3), lambda = c(0.01, 0.01), seed = 1, search = "full")
  line <- main_plot(plot(m))
  expect_identical(line$x, c(0.3, 1, 3))
  expect_identical(line$y, as.vector(m$grid[[1]]$risk)[match(line$x, m$grid[[1]]$gamma)])
  expect_identical(vpsvm(y ~ ., d, gamma = c(1, 1), lambda = 0.01)$folds, 0)
})

test_that("a plot that the model does not have is an error", {
  d <- two_classes()
  fixed <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
  expect_flexkern_error(plot(fixed, "cv"), "without a search")
  expect_flexkern_error(plot(fixed, "fit"), "one numeric column; this one has 3 columns")
  factors <- vpsvm(a ~ factor(y), d, gamma = 1, lambda = 0.01)
  expect_flexkern_error(plot(factors, "fit"), "has a factor")
  searched <- vpsvm(y ~ ., d, gamma = 1:2, lambda = 0.01, seed = 1)
  expect_flexkern_error(plot(searched, cell = 7), "at most 1")
})
