# Random malformed calls: each is an error of ours or gives a valid model.

odd_values <- list(
  NULL, NA, NaN, Inf, -Inf, -1, 0, 1, 2, 3.5, 1e300, 1e-300, "a", "", NA_character_, TRUE, FALSE,
  1:3, c(1, NA), c(2, -2), numeric(), character(), list(), list(1, "a"), mean, quote(x),
  factor("a"), as.Date("2020-01-01"), 1i, raw(1), matrix(1:4, 2), data.frame(), data.frame(a = 1:3),
  "radial", "linear", "auto", "none", "voronoi", "random", c(a = 1, b = 2), .Machine$integer.max,
  TRUE & NA, c(TRUE, FALSE), "omit", Sys.time(), y ~ x, globalenv()
)

odd_inputs <- list(
  x = list(
    matrix(c(1, 2, 3, 4, 5, 6, 8, 7), 4), matrix(NA_real_, 4, 2), matrix(1, 4, 2), matrix(0, 0, 2),
    matrix(0, 4, 0), matrix(c(1, Inf, 3, 4), 4), data.frame(a = 1:4, b = letters[1:4]),
    data.frame(a = c(TRUE, FALSE, NA, TRUE)), data.frame(a = factor(c("u", "v", "u", NA))),
    data.frame(a = I(list(1, 2, 3, 4))), array(1, c(2, 2, 2)), 1:4, letters[1:4], NULL, list(1),
    matrix(1e200, 4, 2), matrix(c(-1, 1) * 1e308, 4, 2), matrix(letters[1:8], 4), Sys.time()
  ),
  y = list(
    c(1, 2, 3, 5), factor(c("a", "b", "a", "b")), factor(rep("a", 4)), letters[1:4], 1:3, NULL,
    c(NA, 1, 2, 3), c(1, Inf, 2, 3), rep(0, 4), c(0, 1, 1, 0), TRUE, matrix(1:8, 4), list(1, 2),
    as.Date("2020-01-01") + 0:3, factor(c("a", "b", NA, NA)), c(1e308, -1e308, 0, 1), complex(4)
  )
)

random_call <- function(seed) {
  set.seed(seed)
  pick <- function(values) values[[sample.int(length(values), 1)]]
  x <- if (runif(1) < 0.5) odd_inputs$x[[1]] else pick(odd_inputs$x)
  y <- if (runif(1) < 0.5) pick(odd_inputs$y[1:2]) else pick(odd_inputs$y)
  arguments <- setdiff(names(formals(flexkern:::vpsvm.default)), c("x", "y", "...", "verbose"))
  chosen <- sample(arguments, sample(c(1, 1, 2, 3), 1))
  values <- stats::setNames(lapply(chosen, function(a) pick(odd_values)), chosen)
  base <- list(x = x, y = y, folds = 2, gamma = 1, lambda = c(0.1, 1))
  c(base[setdiff(names(base), chosen)], values)
}

outcome_of_call <- function(args) {
  tryCatch(
    {
      fit <- suppressWarnings(suppressMessages(do.call(vpsvm, args, quote = TRUE)))
      row <- if (is.null(dim(args$x))) args$x[1] else args$x[1, , drop = FALSE]
      p <- predict(fit, row, na.action = na.pass)
      if (length(p) == 1 && (is.na(p) || is.factor(p) || is.finite(p))) "valid" else "invalid"
    },
    flexkern_error = function(e) "refused",
    error = function(e) paste("stray error:", conditionMessage(e))
  )
}

test_that("random malformed calls are refused in our words or give a valid model", {
  calls <- if (identical(Sys.getenv("NOT_CRAN"), "true")) 2000 else 300
  said <- vapply(seq_len(calls), function(seed) outcome_of_call(random_call(seed)), "")
  stray <- which(!said %in% c("valid", "refused"))
  expect_identical(stats::setNames(said[stray], stray), stats::setNames(character(), character()))
  expect_gt(sum(said == "valid"), calls / 200)
  expect_gt(sum(said == "refused"), calls / 4)
})

test_that("random malformed new data are refused or answered row by row", {
  d <- two_classes()
  fit <- vpsvm(y ~ a + b, d, gamma = 1, lambda = 0.01)
  for (new in c(odd_values, odd_inputs$x)) {
    if (is.data.frame(new) && ncol(new) == 0) new <- NULL
    rows <- tryCatch(length(predict(fit, new)), flexkern_error = function(e) NULL)
    if (!is.null(rows)) expect_identical(rows, if (is.null(dim(new))) 1L else nrow(new))
  }
})
