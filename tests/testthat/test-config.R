test_that("D40, D41, D43: threads: argument, option, variable, two", {
  old <- options(flexkern.threads = NULL)
  on.exit(options(old))
  before <- Sys.getenv("FLEXKERN_THREADS", NA)
  on.exit(if (is.na(before)) Sys.unsetenv("FLEXKERN_THREADS") else
    Sys.setenv(FLEXKERN_THREADS = before), add = TRUE)
  Sys.unsetenv("FLEXKERN_THREADS")
  expect_identical(flexkern_config()$threads, 2L)
  Sys.setenv(FLEXKERN_THREADS = "3")
  expect_identical(flexkern_config()$threads, 3L)
  options(flexkern.threads = 1)
  expect_identical(flexkern_config()$threads, 1L)
  d <- two_classes()
  expect_identical(vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)$threads, 1L)
  options(flexkern.threads = NULL)
  Sys.setenv(FLEXKERN_THREADS = "many")
  expect_flexkern_error(flexkern_config(), "FLEXKERN_THREADS")
})

test_that("memory is half of the machine's, or the option", {
  expect_gt(flexkern_config()$memory, 1e8)
  old <- options(flexkern.memory = 5e8)
  on.exit(options(old))
  expect_identical(flexkern_config()$memory, 5e8)
})

test_that("a bad option is named as such", {
  d <- two_classes()
  fit <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
  with_option <- function(option, value, code) {
    old <- options(structure(list(value), names = paste0("flexkern.", option)))
    on.exit(options(old))
    code
  }
  expect_refusals(alist(
    with_option("threads", 0, predict(fit, d)), with_option("memory", "2G", predict(fit, d)),
    with_option("verbose", 1, predict(fit, d)),
    with_option("threads", 1, predict(fit, d, threads = 0))
  ))
  wanted <- "The option `flexkern.isa` must be one of \"auto\", .*\"plain\", not"
  expect_flexkern_error(with_option("isa", "mmx", predict(fit, d)), wanted)
  expect_flexkern_error(with_option("isa", 3, gamma_dmm(y ~ ., d)), wanted)
})

test_that("the configuration prints", {
  expect_output(print(flexkern_config()), "threads")
})

test_that("D76: a device that is absent is an error with the way out", {
  skip_if(flexkern_config()$cuda)
  d <- two_classes()
  expect_flexkern_error(vpsvm(y ~ ., d, device = "cuda"), "no build of this version.*auto")
})
