# Models saved by earlier versions predict what they predicted then.

test_that("D50, D53: a model of version 0.1.0 predicts the same", {
  saved <- readRDS(test_path("fixtures", "vpsvm-0.1.0.rds"))
  for (name in names(saved$models)) {
    expect_equal(predict(saved$models[[name]], saved$newdata[[name]]), saved$answers[[name]],
                 tolerance = 1e-5)
  }
  expect_equal(predict(saved$models$classes, saved$newdata$classes, type = "prob"),
               saved$answers$prob, tolerance = 1e-5)
})

test_that("D52: another process predicts the same to the bit", {
  skip_on_cran()
  d <- two_classes()
  fit <- vpsvm(y ~ ., d, seed = 1)
  files <- tempfile(c("model", "answer", "script"))
  saveRDS(list(fit = fit, d = d), files[1])
  writeLines(c(
    paste0(".libPaths(c(", paste(shQuote(.libPaths()), collapse = ", "), "))"),
    "library(flexkern)",
    paste0("saved <- readRDS(", shQuote(files[1]), ")"),
    paste0("saveRDS(predict(saved$fit, saved$d, type = 'decision'), ", shQuote(files[2]), ")")
  ), files[3])
  status <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", files[3]))
  skip_if(status != 0, "Rscript did not run")
  expect_identical(readRDS(files[2]), predict(fit, d, type = "decision"))
})

test_that("something without a version is refused", {
  fit <- vpsvm(Species ~ ., iris, gamma = 1, lambda = 0.1)
  fit$version <- NULL
  expect_flexkern_error(predict(fit, iris), "refit")
})
