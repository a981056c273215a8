# Weights, probabilities, randomness, and the fitted model as an object.

d <- two_classes()
X <- d[-1]

for_each_fitter(list(
  "D30, D31, D34: probabilities agree with labels and do not change them" = function(f) {
    skip_if_not(f$probability)
    for (data in list(d, setNames(iris[c(5, 1:4)], c("y", letters[1:4])))) {
      set.seed(1)
      a <- predict(f$small(y ~ ., data), data)
      set.seed(1)
      m <- f$small(y ~ ., data, probability = TRUE)
      p <- predict(m, data, type = "prob")
      expect_identical(predict(m, data), a)
      expect_identical(colnames(p)[max.col(p, "first")], as.character(a))
      expect_equal(rowSums(p), rep(1, nrow(data)))
      set.seed(1)
      again <- predict(f$small(y ~ ., data, probability = TRUE), data, type = "prob")
      expect_identical(again, p)
    }
  },
  "fixed parameters with probabilities keep the labels too" = function(f) {
    skip_if_not(f$probability)
    m <- f$quick(y ~ ., d, probability = TRUE, seed = 1)
    expect_identical(predict(m, d), predict(f$quick(y ~ ., d), d))
  },
  "D32: uninformative or rare classes still get probabilities" = function(f) {
    skip_if_not(f$probability)
    z <- data.frame(y = factor(rep(c("n", "p"), c(28, 2))), a = rep(0:1, 15))
    m <- suppressWarnings(f$small(y ~ a, z, probability = TRUE, seed = 1))
    p <- predict(m, z, type = "prob")
    expect_true(all(is.finite(p)))
    expect_identical(colnames(p)[max.col(p, "first")], as.character(predict(m, z)))
  },
  "D33: a fit without probabilities says how to get them" = function(f) {
    expect_flexkern_error(predict(f$quick(y ~ ., d), d, type = "prob"), "refit.*probability = TRUE")
  },
  "D37: class weights: named, in any order, for any number of classes" = function(f) {
    skip_if_not(f$class.weights)
    w <- c(virginica = 5, setosa = 1, versicolor = 0.1)
    m <- f$quick(Species ~ ., iris, class.weights = w)
    expect_same_model(m, f$quick(Species ~ ., iris, class.weights = w[3:1]), iris)
    plain <- f$quick(Species ~ ., iris)
    expect_gte(sum(predict(m, iris) == "virginica"), sum(predict(plain, iris) == "virginica"))
    by_row <- f$quick(Species ~ ., iris, weights = unname(w[as.character(Species)]))
    expect_same_model(m, by_row, iris)
    expect_length(predict(f$quick(Species ~ ., iris, class.weights = "inverse"), iris), 150)
    expect_flexkern_error(f$quick(y ~ ., d, class.weights = c(lo = 2)), "`low`, `high`, not `lo`")
    expect_flexkern_error(f$quick(y ~ ., d, class.weights = 1:2), "named")
  },
  "D38, D39: weights are checked by position" = function(f) {
    bad <- function(w) f$quick(X, d$y, weights = w)
    expect_flexkern_error(bad(c(NA, rep(1, 39))), "missing value at position 1")
    expect_flexkern_error(bad(c(rep(1, 38), -1, -2)), "negative values at positions 39, 40")
    expect_flexkern_error(bad(c(Inf, rep(1, 39))), "infinite")
    expect_flexkern_error(bad(rep(0, 40)), "all 0")
    expect_flexkern_error(bad("WT"), "numeric vector of length 40, not \"WT\"")
    expect_flexkern_error(bad(1:3), "length 40")
    expect_flexkern_error(f$quick(y ~ ., d, weights = "WT"), "length 40")
  },
  "only the ratios of the weights matter, and equal ones change nothing" = function(f) {
    w <- rep(1:2, 20)
    expect_equal(predict(f$quick(X, d$y, weights = w), X, type = "decision"),
                 predict(f$quick(X, d$y, weights = 8 * w), X, type = "decision"))
    expect_same_model(f$quick(X, d$y, weights = rep(3, 40)), f$quick(X, d$y), X)
    in_data <- f$quick(y ~ a + b, cbind(d, w), weights = w)
    expect_same_model(in_data, f$quick(X[1:2], d$y, weights = w), X)
  },
  "an integer weight is a repeated row" = function(f) {
    skip_if(isTRUE(f$sum.loss) || isTRUE(f$row.parts))
    w <- rep(1:2, 20)
    rows <- rep(1:40, w)
    expect_equal(predict(f$quick(X, d$y, weights = w), X, type = "decision"),
                 predict(f$quick(X[rows, ], d$y[rows]), X, type = "decision"), tolerance = 1e-4)
  },
  "rows of weight 0 are as good as left out" = function(f) {
    big <- two_classes(300)
    w <- rep(c(1, 0, 2), 100)
    used <- which(w > 0)
    weighted <- if (f$class.weights) list(list(class.weights = "inverse"))
    for (args in c(f$variants, list(list()), weighted)) {
      fit <- function(rows) {
        do.call(f$small, c(list(big[rows, -1], big$y[rows], weights = w[rows], seed = 1), args))
      }
      all <- fit(1:300)
      left <- fit(used)
      expect_identical(predict(all, big, type = "decision"), predict(left, big, type = "decision"))
      expect_identical(all[c("cell.size", "cv.error", "n")], left[c("cell.size", "cv.error", "n")])
      expect_identical(all$index, used[left$index])
      expect_identical(fitted(all)[used], fitted(left))
      expect_identical(fitted(all), predict(all, big))
      expect_identical(residuals(all), as.numeric(fitted(all) != big$y))
      expect_identical(summary(all)$error, summary(left)$error)
      if (is.null(left$cell)) next
      expect_identical(all$cell[used], left$cell)
      expect_false(anyNA(fit(1:300)$cell) && !identical(args$partition, "random"))
      if (!is.null(left$cell)) expect_length(all$cell, 300)
    }
    one <- replace(rep(0, 40), 3, 1)
    expect_flexkern_error(f$quick(X, d$y, weights = one), "at least 2 rows of positive weight")
    low_only <- as.numeric(d$y == "low")
    expect_flexkern_error(f$quick(X, d$y, weights = low_only), "only one class (`low`)",
                          fixed = TRUE)
    if (!f$regression) return()
    value <- f$quick(X, d$c, weights = low_only)
    expect_equal(residuals(value), d$c - predict(value, X))
  },
  "D51: a fit with random parts draws one number, one without draws none" = function(f) {
    set.seed(1)
    f$small(X, d$y)
    after <- runif(1)
    set.seed(1)
    runif(1)
    expect_identical(after, runif(1))
    set.seed(1)
    f$quick(X, d$y)
    after <- runif(1)
    set.seed(1)
    expect_identical(after, runif(1))
    set.seed(1)
    f$small(X, d$y, seed = 5)
    after <- runif(1)
    set.seed(1)
    expect_identical(after, runif(1))
  },
  "D49: the seed alone decides, not the number of threads" = function(f) {
    big <- two_classes(300)
    a <- f$small(y ~ ., big, seed = 3, threads = 1)
    b <- f$small(y ~ ., big, seed = 3, threads = 2)
    expect_identical(predict(a, big, type = "decision"), predict(b, big, type = "decision"))
    expect_identical(predict(a, big, type = "decision", threads = 1),
                     predict(a, big, type = "decision", threads = 2))
  },
  "D47, D48: nothing is printed, and progress comes as messages" = function(f) {
    expect_silent(f$small(y ~ ., d, seed = 1))
    out <- capture.output(suppressMessages(m <- f$small(y ~ ., d, seed = 1, verbose = TRUE)))
    expect_length(out, 0)
  },
  "D52: a saved model predicts the same" = function(f) {
    m <- f$small(y ~ ., d, seed = 1)
    file <- tempfile()
    saveRDS(m, file)
    expect_identical(predict(readRDS(file), d, type = "decision"), predict(m, d, type = "decision"))
  },
  "D53: a model of another version is refused if it cannot be read" = function(f) {
    m <- f$quick(y ~ ., d)
    predict_as <- function(version) predict(replace(m, "version", list(version)), d)
    expect_length(predict_as("0.1.0"), 40)
    expect_flexkern_error(predict_as("99.0"), "saved by flexkern 99.0, but this is .*; update")
    expect_flexkern_error(predict_as("0.0.1"), "saved by flexkern 0.0.1.*refit")
    for (none in list(NULL, 3, "new", NA_character_, c("0.1.0", "0.1.0"))) {
      expect_flexkern_error(predict_as(none), "no version; refit")
    }
  },
  "D54: a model holds no environment, function or pointer" = function(f) {
    has_reference <- function(x) {
      if (identical(x, globalenv())) return(FALSE)
      if (is.environment(x) || is.function(x) || typeof(x) == "externalptr") return(TRUE)
      parts <- c(attributes(x), if (is.list(x)) unclass(x))
      any(vapply(parts, has_reference, NA))
    }
    local_fit <- function() {
      ballast <- runif(1e5)
      f$quick(y ~ log(c) + a, d)
    }
    m <- local_fit()
    expect_false(has_reference(m))
    expect_lt(length(serialize(m, NULL)), 50000)
    expect_type(m$version, "character")
  },
  "D54: the call is trimmed when data came by value" = function(f) {
    big <- two_classes(500)
    m <- do.call(f$quick, list(y ~ a + b, data = big))
    expect_lt(object.size(m$call), 1e4)
    m <- do.call(f$fit, c(list(big[-1], big$y), f$options))
    expect_lt(object.size(m$call), 1e4)
    m <- do.call(f$fit, c(list(y ~ a, data = big), f$options))
    expect_null(attributes(m$call$formula))
    expect_flexkern_error(update(m, seed = 1), "give it again: update\\(fit, data = ...\\)")
    expect_identical(predict(update(m, data = big), big), predict(m, big))
  },
  "update() repeats the call with changes" = function(f) {
    fit <- f$fit
    call <- as.call(c(quote(fit), quote(y ~ .), data = quote(d), f$options))
    with_change <- utils::modifyList(f$options, f$change)
    expect_identical(predict(update(eval(call), . ~ . - c), d),
                     predict(do.call(fit, c(list(y ~ a + b, data = d), f$options)), d))
    expect_identical(predict(do.call(update, c(list(eval(call)), f$change)), d),
                     predict(do.call(fit, c(list(y ~ ., data = d), with_change)), d))
  },
  "update() repeats options that were given by position" = function(f) {
    options <- if (identical(f$fit, hgsvm)) list("inhomogeneous", steps = 1, seed = 1) else
      if (identical(f$fit, vpsvm)) list("none")
    skip_if(is.null(options))
    fixed <- c(options, list(gamma = 1, lambda = 0.01))
    fit <- f$fit
    m <- eval(as.call(c(quote(fit), quote(y ~ .), quote(d), fixed)))
    expect_identical(predict(update(m, lambda = 0.1), d),
                     predict(do.call(fit, c(list(y ~ ., d), options, gamma = 1, lambda = 0.1)), d))
    expect_identical(predict(update(m, . ~ . - c), d),
                     predict(do.call(fit, c(list(y ~ a + b, d), fixed)), d))
  },
  "print and summary show something and return their object" = function(f) {
    m <- f$small(y ~ ., d, seed = 1)
    expect_output(returned <- withVisible(print(m)), "Call")
    expect_false(returned$visible)
    expect_output(print(summary(m)), "error")
    for (generic in list(print, summary, fitted, residuals, nobs)) {
      expect_flexkern_error(generic(m, wrong = 1), "no argument `wrong`")
    }
    for (digits in list(NA, 0, "a", 1:2, 30)) {
      expect_flexkern_error(print(m, digits), "`digits`")
      expect_flexkern_error(print(summary(m), digits), "`digits`")
    }
  },
  "D55: a model grows with its support vectors, not with their square" = function(f) {
    size <- function(n) as.numeric(object.size(f$quick(y ~ ., two_classes(n))))
    expect_lt(size(1000), 2.1 * size(500))
  },
  "D57: a fit that exceeds the memory budget is refused with number and remedy" = function(f) {
    skip_if(is.null(f$one.machine))
    x <- matrix(seq_len(2e5) / 2e5, ncol = 1)
    args <- c(list(x, factor(rep(1:2, 1e5)), memory = 1e9), f$one.machine)
    elapsed <- system.time(
      expect_flexkern_error(do.call(f$quick, args), "200000 rows.*[0-9] [GT]B.*1 GB.*memory")
    )
    expect_lt(elapsed[[1]], 5)
  },
  "fewer rows than the default number of folds" = function(f) {
    few <- f$fit(X[1:4, ], d$y[1:4], seed = 1)
    expect_length(predict(few, X), 40)
    expect_flexkern_error(f$fit(X[1:4, ], d$y[1:4], folds = 5), "5 exceeds the 4 rows")
  },
  "D71: a class with one observation is named in a warning" = function(f) {
    o <- d
    o$y <- factor(c("rare", as.character(d$y)[-1]))
    expect_warning(m <- f$small(y ~ ., o, folds = 5, seed = 1), "`rare`")
    expect_length(predict(m, o), 40)
  },
  "one class is an error, and two rows are enough" = function(f) {
    expect_flexkern_error(f$quick(X[1:5, ], factor(rep("a", 5))), "only one class")
    expect_length(predict(f$quick(X[1:2, ], d$y[1:2]), X), 40)
    expect_flexkern_error(f$quick(X[1, ], 1.5), "at least 2")
  },
  "a constant response is predicted" = function(f) {
    skip_if_not(f$regression)
    m <- f$quick(X, rep(7, 40))
    expect_equal(predict(m, X), rep(7, 40))
  },
  "D78: ten fits and predictions in a row" = function(f) {
    first <- predict(f$small(y ~ ., d, seed = 1, device = "auto"), d)
    for (i in 1:9) expect_identical(predict(f$small(y ~ ., d, seed = 1), d), first)
  },
  "D42: one thread keeps one core busy" = function(f) {
    skip_on_cran()
    fit <- if (isTRUE(f$row.parts)) f$small else f$fit
    s <- system.time(fit(y ~ ., two_classes(1000), threads = 1, seed = 1))
    expect_lt(s[["user.self"]], 1.2 * s[["elapsed"]] + 0.1)
  },
  "D83: one probability column is a plain numeric vector" = function(f) {
    skip_if_not(f$probability)
    m <- f$small(y ~ ., d, probability = TRUE, seed = 1)
    p <- predict(m, d, type = "prob")[, "high"]
    expect_type(p, "double")
    expect_null(attributes(p))
  },
  "D61: predicting one row is fast" = function(f) {
    m <- f$quick(y ~ ., d)
    expect_lt(sum(system.time(for (i in 1:200) predict(m, d[1, ]))[1:2]), 2)
  }
))

test_that("every exported function with a formula and a predict method is under the contract", {
  exported <- getNamespaceExports("flexkern")
  has_method <- function(generic, class) !is.null(utils::getS3method(generic, class, TRUE))
  fits <- function(name) has_method(name, "formula") && has_method("predict", name)
  of_ours <- function(name) identical(environment(getExportedValue("flexkern", name)),
                                      asNamespace("flexkern"))
  found <- Filter(function(name) of_ours(name) && fits(name), exported)
  expect_gt(length(found), 3)
  expect_identical(setdiff(found, names(fitters)), character())
})
