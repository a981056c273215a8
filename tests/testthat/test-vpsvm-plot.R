drawn <- function(code) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(grDevices::dev.off())
  force(code)
  TRUE
}

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

test_that("a plot that the model does not have is an error", {
  d <- two_classes()
  fixed <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
  expect_flexkern_error(plot(fixed, "cv"), "without a search")
  expect_flexkern_error(plot(fixed, "fit"), "one numeric column")
  searched <- vpsvm(y ~ ., d, gamma = 1:2, lambda = 0.01, seed = 1)
  expect_flexkern_error(plot(searched, cell = 7), "at most 1")
})
