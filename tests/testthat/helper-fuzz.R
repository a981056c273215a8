# Random malformed calls of a fitter and what comes of them.

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

odd_formulas <- alist(
  y ~ ., y ~ a, y ~ a + b, y ~ a * b, y ~ . - a, y ~ log(a), y ~ I(1 / (a - 1)), y ~ poly(a, 2),
  y ~ k, y ~ k:a, y ~ 1, y ~ 0, y ~ nowhere, nowhere ~ a, ~a, y ~ y, log(y) ~ a, cbind(a, b) ~ k,
  y ~ offset(a) + b, y ~ a | b, y ~ factor(a), y ~ as.character(k), y ~ (a + b)^2, y ~ -1 + a,
  y ~ stop("no"), y ~ sample(a), y ~ a[1:2], y ~ NULL, y ~ "a", y ~ 3, y ~ function(x) x, y ~ .^3,
  k ~ a, a ~ k, 1 ~ a, y ~ d, y ~ m, y ~ NULL + a, y ~ `odd name`, y ~ pi, y ~ T, y ~ mean(a)
)

odd_data <- list(
  data.frame(y = c(1, 2, 3, 5), a = 1:4, b = c(2, 1, 4, 3), k = c("u", "v", "u", "v")),
  data.frame(y = factor(1:4 > 2), a = c(1, NA, 3, 4), b = Inf, k = 1),
  list(y = 1:4, a = 1:3, b = 2),
  data.frame(), NULL, matrix(1:8, 4, dimnames = list(NULL, c("y", "a"))), "text", 3, mean,
  globalenv(),
  data.frame(y = 1:4, d = as.Date("2020-01-01") + 1:4, m = I(matrix(1:8, 4))), list(),
  data.frame(y = 1:4, a = 1:4, a = 4:1, check.names = FALSE), data.frame(y = letters[1:4], a = 0),
  data.frame(y = numeric(), a = numeric()),
  data.frame(y = 1:4, `odd name` = 4:1, check.names = FALSE)
)

pick <- function(values) values[[sample.int(length(values), 1)]]

# A named list of one to three arguments with odd values.
odd_arguments <- function(names) {
  chosen <- sample(names, sample(c(1, 1, 2, 3), 1))
  stats::setNames(lapply(chosen, function(a) pick(odd_values)), chosen)
}

method_arguments <- function(name, class) {
  # An hgsvm is also a vpsvm, and predicts as one.
  method <- utils::getS3method(name, class, TRUE) %||% utils::getS3method(name, "vpsvm")
  setdiff(names(formals(method)), c("x", "y", "object", "...", "verbose"))
}

# Half of the calls by x and y, a quarter each by a formula with odd options or odd data.
random_call <- function(name, base, seed) {
  set.seed(seed)
  values <- odd_arguments(method_arguments(name, "default"))
  way <- sample(4, 1)
  if (way == 3) {
    if (runif(1) < 0.7) values <- list()
    input <- list(stats::as.formula(pick(odd_formulas)), data = pick(odd_data[c(1, 1, 1:16)]))
  } else if (way == 4) {
    input <- list(y ~ a + b, data = pick(odd_data))
  } else {
    x <- if (runif(1) < 0.5) odd_inputs$x[[1]] else pick(odd_inputs$x)
    y <- if (runif(1) < 0.5) pick(odd_inputs$y[1:2]) else pick(odd_inputs$y)
    input <- list(x = x, y = y)
  }
  options <- c(base[setdiff(names(base), names(values))], values)
  if (way > 2) options <- options[setdiff(names(options), "weights")]
  c(input, options)
}

first_row <- function(args) {
  data <- if (is.null(args$x)) args$data else args$x
  if (is.data.frame(data) || is.matrix(data)) return(data[1, , drop = FALSE])
  if (is.list(data)) as.data.frame(lapply(data, `[`, 1)) else data[1]
}

outcome_of_call <- function(fitter, args) {
  tryCatch(
    {
      fit <- suppressWarnings(suppressMessages(do.call(fitter, args, quote = TRUE)))
      p <- predict(fit, first_row(args), na.action = na.pass)
      if (NROW(p) == 1 && all(is.na(p) | is.factor(p) | is.finite(p))) "valid" else "invalid"
    },
    flexkern_error = function(e) "refused",
    error = function(e) paste("stray error:", conditionMessage(e))
  )
}

outcome_of_prediction <- function(fit, newdata, args) {
  tryCatch(
    {
      p <- suppressWarnings(do.call(predict, c(list(fit, newdata), args), quote = TRUE))
      if (NROW(p) == nrow(newdata)) "valid" else "invalid"
    },
    flexkern_error = function(e) "refused",
    error = function(e) paste("stray error:", conditionMessage(e))
  )
}

expect_no_stray <- function(said) {
  stray <- which(!said %in% c("valid", "refused"))
  expect_identical(stats::setNames(said[stray], stray), stats::setNames(character(), character()))
  expect_gt(sum(said == "valid"), length(said) / 200)
  expect_gt(sum(said == "refused"), length(said) / 4)
}
