# What users of quantile regression and of several classes have asked for elsewhere.

r <- regression_data()
quick <- function(..., loss = "pinball") vpsvm(..., loss = loss, gamma = 1, lambda = 0.01)

test_that("D84: a lower quantile is never above a higher one, also off the data", {
  far <- data.frame(u = seq(-8, 8, length.out = 300), v = 0)
  for (loss in c("pinball", "expectile")) {
    q <- predict(quick(t ~ ., r, tau = c(0.1, 0.5, 0.9), loss = loss), far)
    expect_true(all(apply(q, 1, diff) >= 0))
  }
})

test_that("D85: all levels share one search and one pair of parameters", {
  fit <- vpsvm(t ~ ., r, loss = "pinball", tau = c(0.1, 0.5, 0.9), gamma = c(0.3, 1),
               lambda = c(0.1, 0.01), seed = 1)
  # The chosen pair has a row for each level.
  table <- cv_table(fit)
  expect_identical(sum(table$selected), 3L)
  expect_identical(nrow(unique(table[c("gamma", "lambda")])), 4L)
  expect_identical(lengths(fit[c("gamma", "lambda")], use.names = FALSE), c(1L, 1L))
  expect_identical(dim(fit$coef), c(60L, 3L))
})

test_that("D86: a constant column is no obstacle", {
  expect_message(fit <- quick(t ~ ., transform(r, k = 1), tau = 0.5), "constant")
  expect_equal(predict(fit, transform(r, k = 1)), predict(quick(t ~ ., r, tau = 0.5), r))
})

test_that("D87: levels are chosen at prediction among those of the fit", {
  fit <- quick(t ~ ., r, tau = c(0.1, 0.5, 0.9))
  q <- predict(fit, r)
  expect_identical(colnames(q), c("0.1", "0.5", "0.9"))
  expect_identical(predict(fit, r, tau = c(0.9, 0.1)), q[, c("0.9", "0.1")])
  expect_flexkern_error(predict(fit, r, tau = 0.2), "0.1, 0.5, 0.9")
})

test_that("D36: one against one has a column for each pair, named second over first", {
  fit <- quick(Species ~ ., iris, loss = "hinge", multiclass = "ovo")
  f <- predict(fit, iris, type = "decision")
  expect_identical(colnames(f), c("versicolor/setosa", "virginica/setosa", "virginica/versicolor"))
  expect_gt(mean(f[iris$Species == "virginica", 3]), 0)
  expect_lt(mean(f[iris$Species == "versicolor", 3]), 0)
})
