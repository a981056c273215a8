# More hostile calls: odd classes and sizes, huge numbers, models from elsewhere, the tools.

d <- two_classes()
X <- d[-1]
many <- two_classes(300)
fit <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
by_xy <- vpsvm(X, d$y, gamma = 1, lambda = 0.01)
curve <- vpsvm(t ~ u, regression_data(), gamma = 1, lambda = 0.01)
by_value <- do.call(vpsvm, list(y ~ a, data = many, gamma = 1, lambda = 0.1))
both_by_value <- do.call(vpsvm, list(many[-1], many$y, gamma = 1, lambda = 0.1))
changed <- function(...) utils::modifyList(fit, list(...), keep.null = TRUE)
no_factor <- replace(fit$scaling, "factor", list(c(NA, 1, 1)))
one_column <- replace(fit$blueprint, "columns", "a")
columns <- list(y = d$y, a = d$a, long = 1:41)
odd <- list(
  list = transform(d, a = I(as.list(1:40))), complex = transform(d, a = complex(40)),
  time = transform(d, a = as.difftime(1:40, units = "secs"))
)
no_level <- transform(d, k = NA_character_)
with_matrix <- d
with_matrix$M <- as.matrix(X)
list_column <- cbind(X, m = 1)
list_column$l <- as.list(1:40)
list_column$m <- as.matrix(X)
by_number <- vpsvm(y ~ factor(k), transform(d, k = rep(1:2, 20)), gamma = 1, lambda = 0.01)
blank <- matrix(1:9, 3, dimnames = list(NULL, c("u", "", "v")))
twice <- matrix(0, 1, 4, dimnames = list(NULL, c("a", "b", "c", "a")))
huge <- matrix(c(1e200, -1e200, 3, 4), 4, 1)

test_that("the fit refuses odd input", {
  expect_refusals(alist(
    vpsvm(), vpsvm(y = d$y), vpsvm(data = d), vpsvm(y ~ ., odd$list), vpsvm(y ~ ., odd$complex),
    vpsvm(y ~ ., odd$time), vpsvm(y ~ long + a, columns), vpsvm(table(1:4, 1:4), 1:4),
    vpsvm(X, table(1:40)), vpsvm(blank, 1:3), vpsvm(X, 1:40 > 0),
    vpsvm(X[0, ], d$y[0]), vpsvm(huge, 1:4, scale = FALSE),
    vpsvm(huge, 1:4, scale = FALSE, gamma = 2, lambda = 1),
    vpsvm(matrix(c(0, 1e-310, 0, 0), 4), 1:4), vpsvm(y ~ y, d), vpsvm(cbind(a, b) ~ c, d),
    local({
      y <- 1:3
      vpsvm(y ~ .)
    }),
    local({
      square <- function(v) v^2
      vpsvm(y ~ square(a) + b, d)
    }),
    vpsvm(y ~ no_such_function(a), d), vpsvm(y ~ a[1:2], d), vpsvm(y ~ "a", d),
    vpsvm(y ~ ., d, subset = 100),
    vpsvm(y ~ ., d, subset = c(1, -1)), vpsvm(y ~ log(c) + d, with_matrix),
    vpsvm(y ~ k + a, no_level), vpsvm(list_column, d$y), vpsvm(X * 2^-1030, d$y, scale = TRUE),
    vpsvm(X, d$y, scale = c(a = TRUE, b = FALSE, x = TRUE)), vpsvm(X, d$y, subset = 1:20),
    vpsvm(X, d$y, data = d), vpsvm(X, d$y, formula = y ~ a), vpsvm(data = d, formula = y ~ .),
    vpsvm(y ~ ., d, subset = 0), vpsvm(y ~ ., d, weights = nowhere),
    vpsvm(y ~ ., d, weights = a), vpsvm(y ~ ., d, weights = y), vpsvm(X, d$y, weights = list(1)),
    vpsvm(X, d$y, class.weights = "balanced"), vpsvm(X, d$y, class.weights = list(low = 1)),
    vpsvm(matrix(1i, 2, 2), 1:2), vpsvm(matrix(as.raw(1), 2, 2), 1:2), vpsvm(X, as.matrix(X)),
    plot(vpsvm(a ~ factor(y), d, gamma = 1, lambda = 1), "fit"),
    vpsvm(X, d$y, loss = "pinball"), vpsvm(X, d$y, scale = NULL), vpsvm(X, d$y, NULL)
  ))
})

test_that("the fit refuses numbers out of range", {
  expect_refusals(alist(
    vpsvm(X, d$y, gamma = 1e308), vpsvm(X, d$y, lambda = 1e-200), vpsvm(X, d$y, cost = 1e300),
    vpsvm(X, d$y, folds = 1e9), vpsvm(X, d$y, folds = 3e9), vpsvm(X, d$y, max.iter = 1e10),
    vpsvm(X, d$y, threads = 1e6), vpsvm(X, d$y, seed = 1e18), vpsvm(X, d$y, memory = Inf),
    vpsvm(X, d$y, cells = 4, memory = 100),
    vpsvm(X, d$y, cells = 1e12), vpsvm(X, d$y, max.cell = 1e12), vpsvm(X, d$y, tol = 1),
    vpsvm(X, d$y, degree = 2.5), vpsvm(X, d$y, radius = NaN), vpsvm(X, d$y, cells = -3),
    vp_artificial("I", 1e12), vp_artificial("I", NaN), vp_artificial(NULL, 3)
  ))
})

test_that("predict() refuses odd new data and options", {
  expect_refusals(alist(
    predict(fit, as.list(d)), predict(fit, list()), predict(fit, array(0, c(1, 1, 3))),
    predict(fit, d$a), predict(fit, data.frame()), predict(fit, matrix("a", 1, 3)),
    predict(fit, twice), predict(by_number, data.frame(k = 7)),
    predict(curve, Inf), predict(curve, factor(1)), predict(curve, t ~ u),
    predict(fit, d, type = c("prob", "votes")), predict(fit, d, na.action = mean),
    predict(fit, d, memory = 1), predict(fit, d, memory = NA), predict(fit, d, verbose = NA)
  ))
})

test_that("models of other versions and damaged ones are refused", {
  expect_refusals(alist(
    predict(changed(version = "99.0"), d), predict(changed(version = "0.0.1"), d),
    predict(changed(version = NULL), d), predict(changed(version = 3), d),
    predict(structure(list(version = "0.1.0"), class = "vpsvm"), d),
    predict(changed(scaling = NULL), d), predict(changed(blueprint = NULL), d),
    predict(changed(gamma = NA), d), predict(changed(kernel = "sigmoid"), d),
    predict(changed(classes = letters), d), predict(changed(clip = NA), d),
    predict(changed(classes = NULL), d), predict(changed(scaling = no_factor), d),
    predict(changed(blueprint = one_column), d), print(structure(list(), class = "vpsvm")),
    predict(changed(partition = NULL), d), predict(changed(partition = "voronoi"), d),
    predict(changed(label = NULL), d), predict(changed(cell.of.center = NULL), d),
    predict(changed(coef = NaN * fit$coef), d), predict(changed(intercept = matrix(NaN)), d),
    predict(changed(sv = NaN * fit$sv), d), predict(changed(gamma = -1), d),
    summary(structure(list(), class = "vpsvm"))
  ))
})

test_that("a model without one of its parts is used as a whole one or refused", {
  whole <- list(
    vpsvm(y ~ ., d, gamma = c(0.3, 1), lambda = 0.01, probability = TRUE, seed = 1),
    vpsvm(y ~ ., d, cells = 3, gamma = 1, lambda = 0.01),
    kos(y ~ ., d, probability = TRUE, centered = TRUE, seed = 1)
  )
  uses <- list(
    function(m) capture.output(print(m)), function(m) capture.output(print(summary(m))),
    function(m) predict(m, d), function(m) predict(m, d, type = "decision"),
    function(m) predict(m, d, type = "prob"), function(m) importance(m, d, nperm = 1, seed = 1)
  )
  foreign <- character()
  for (m in whole) for (part in setdiff(names(m), c("formula", "call"))) {
    for (value in list(NULL, NaN)) {
      m2 <- m
      m2[[part]] <- value
      for (use in uses) {
        tryCatch(use(m2), flexkern_error = identity, error = function(e) {
          foreign <<- c(foreign, paste(class(m), part, deparse(body(use)), conditionMessage(e)))
        })
      }
    }
  }
  expect_identical(foreign, character())
})

test_that("the other methods and the tools refuse what they cannot use", {
  expect_refusals(alist(
    print(fit, digits = NA), print(fit, digits = 0), summary(fit, digits = 3), fitted(fit, 1),
    residuals(fit, type = "response"), plot(vpsvm(y ~ ., d, seed = 1), "cv", cell = 7),
    update(by_value, lambda = 1), update(both_by_value, lambda = 1),
    importance(fit), importance(fit, NULL), importance(curve, regression_data()["u"]),
    importance(fit, d[0, ]), importance(fit, d["a"]),
    importance(fit, X), importance(by_xy, X), importance(fit, X, d$y[1:3]),
    importance(fit, X, rep(1, 40)), importance(curve, regression_data(), letters[rep(1:20, 3)]),
    importance(fit, d, nperm = 0), importance(fit, d, seed = "a"), importance(fit, d, scale = TRUE),
    importance(3), caret_method("svm"), caret_method(NULL)
  ))
})

test_that("a device that this build lacks is refused", {
  skip_if(flexkern_config()$cuda)
  expect_refusals(alist(vpsvm(X, d$y, device = "cuda")))
})

test_that("warnings and messages of the solver and of the tools", {
  said_by <- function(name, ...) getFromNamespace(name, "flexkern")(...)
  show <- said_by("progress_shower", "importance", 30, TRUE)
  Sys.sleep(1.1)
  expect_snapshot({
    said_by("warn_convergence", list(converged = FALSE), list(max.iter = 1))
    said_by("warn_convergence", list(converged = c(TRUE, FALSE)), list(max.iter = 1000))
    out <- said_by("calibration_failed", list())
    show(20)
  })
})
