# The views of rmekl() as a user writes and reads them.

d <- two_classes()
X <- d[-1]
quick <- function(...) rmekl(X, d$y, ..., c = 0.5, lambda = 1)
single <- function(...) rmekl(X, d$y, ..., c = 0.5)
decision <- function(m) predict(m, X, type = "decision")

test_that("names of the list name the views in all that is shown", {
  own <- function(a, b) a %*% t(b)
  m <- quick(list(first = list(kernel = "radial", columns = 1:2), "linear", mine = own))
  expect_identical(m$views$name, c("first", "linear", "mine"))
  expect_identical(is.na(m$views$gamma), c(FALSE, TRUE, TRUE))
  expect_identical(summary(m)$kernels$name, m$views$name)
  expect_output(print(m), "first (radial), linear, mine (function)", fixed = TRUE)
  plain <- quick(list(list(kernel = "radial", columns = 1:2), "linear", own))
  expect_identical(decision(m), decision(plain))
  expect_warning(quick(list("radial", flat = function(a, b) 0 * a %*% t(b))), "Kernel 2 .flat.")
})

test_that("a kernel and its columns need no names, and one entry needs no list around it", {
  whole <- single(list(list(kernel = "radial", columns = 1:2, gamma = 2)))
  expect_identical(decision(single(list(list("radial", 1:2, gamma = 2)))), decision(whole))
  expect_identical(decision(single(list("radial", gamma = 2, columns = 1:2))), decision(whole))
  expect_identical(decision(quick(list(list("radial", "a"), list("linear", "b")))),
                   decision(quick(list(list(kernel = "radial", columns = 1),
                                       list(kernel = "linear", columns = 2)))))
})

test_that("columns of a factor go together, by the name of the factor or of a term", {
  g <- with_group()
  both <- list(list("linear", columns = "k"), list("radial", columns = c("a", "b")))
  m <- rmekl(g[c("k", "a", "b")], g$y, both, c = 0.5, lambda = 1)
  expect_identical(lapply(m$kernels, `[[`, "columns"), list(1:2, 3:4))
  f <- rmekl(y ~ k + a + b, g, kernels = both, c = 0.5, lambda = 1)
  expect_identical(predict(f, g, type = "decision"), predict(m, g, type = "decision"))
  t <- svm2k(y ~ log(c) + a, g, kernels = list(list("radial", "log(c)"), list("linear", "a")),
             cost = 1, D = 1)
  expect_identical(lapply(t$kernels, `[[`, "columns"), list(1L, 2L))
})

test_that("a function sees the names of its columns, in the fit, in prediction and in plots", {
  named <- function(u, v) u[, "c"] %*% t(v[, "c"]) + 2 * u[, "a"] %*% t(v[, "a"])
  m <- quick(list("linear", named))
  plain <- quick(list("linear", function(u, v) u[, 3] %*% t(v[, 3]) + 2 * u[, 1] %*% t(v[, 1])))
  expect_identical(decision(m), decision(plain))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(m, "map", newdata = X, y = d$y), m)
})

test_that("one kernel searches `c` alone", {
  m <- rmekl(X, d$y, "radial", seed = 1)
  expect_identical(dim(m$grid[[1]]$error), c(9L, 1L))
  expect_identical(m$machines$lambda, 1)
  expect_flexkern_error(rmekl(X, d$y, "radial", lambda = c(1, 2)), "nothing to agree with")
})

test_that("`max.rank` bounds every basis", {
  for (basis in c("elimination", "cholesky", "random", "full")) {
    m <- single("radial", basis = basis, max.rank = 4, seed = 1)
    expect_identical(m$views$rank, 4L)
  }
  # The leading eigenvectors: what no larger set of directions has more variance in.
  x <- apply_scaling(as.matrix(X), m$scaling)
  k <- exp(-m$views$gamma * as.matrix(dist(x))^2)
  e <- eigen(k, symmetric = TRUE)
  map <- sweep(e$vectors[, 1:4], 2, sqrt(e$values[1:4]), "*")
  ref <- ref_mhks(list(map), ifelse(d$y == "high", 1, -1), 0.5, 1)
  expect_equal(unname(decision(m)[, 1]), ref$decision, tolerance = 1e-6)
})

test_that("random descending says so when a kernel is not positive semi-definite", {
  indefinite <- function(a, b) a[, 1] %*% t(b[, 1]) - a[, 2] %*% t(b[, 2])
  expect_warning(m <- quick(list("linear", indefinite), basis = "random", seed = 1),
                 "Kernel 2 is not positive semi-definite")
  expect_true(all(is.finite(decision(m))))
  expect_warning(quick(basis = "random", seed = 1), NA)
})

test_that("rounding errors of a kernel with negative directions only are no view", {
  negative <- function(a, b) -a %*% t(b)
  for (basis in c("elimination", "random", "full")) {
    expect_warning(
      expect_flexkern_error(single(negative, basis = basis, seed = 1), "has rank 0"), "not positive"
    )
    expect_warning(expect_warning(
      m <- quick(list("linear", negative), basis = basis, seed = 1), "not positive"), "has rank 0"
    )
    expect_equal(decision(m), decision(single("linear")), tolerance = 1e-8)
  }
})

test_that("a function is asked for no more values at a time than the budget holds", {
  most <- 0
  f <- function(a, b) {
    most <<- max(most, length(a) / ncol(a))
    exp(-2 * abs(outer(a[, 1], b[, 1], "-")))
  }
  m <- single(f)
  new <- X[rep(1:40, 50), ]
  most <- 0
  whole <- predict(m, new, type = "decision")
  expect_identical(most, 2000)
  most <- 0
  parts <- predict(m, new, type = "decision", memory = 5e5)
  expect_lt(most, 500)
  expect_equal(parts, whole, tolerance = 1e-12)
})

test_that("one-versus-rest machines have their views in common", {
  m <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1, multiclass = "ovr")
  expect_identical(summary(m)$kernels$machine, rep("all", 3))
  two <- rmekl(y ~ ., d, c = 0.1, lambda = 1, multiclass = "ovr")
  expect_identical(summary(two)$kernels$machine, rep("high/low", 3))
})

test_that("svm2k() reports the rank of what it solves in", {
  m <- svm2k(Species ~ ., iris, cost = 1, D = 1)
  expect_identical(m$views$rank[m$views$name == "linear"], rep(5L, 3))
  expect_true(all(m$views$rank <= 100L))
})

test_that("D53: a damaged model is refused in our words, whatever is damaged", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  whole <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1, probability = TRUE, seed = 1)
  uses <- list(
    function(m) predict(m, iris[1:3, ], type = "prob"),
    function(m) predict(m, iris[1:3, ], type = "pairs"), plot, coef,
    function(m) utils::capture.output(print(m)),
    function(m) utils::capture.output(print(summary(m))),
    function(m) plot(m, "map", newdata = iris)
  )
  parts <- c("views", "machines", "sv", "position", "coef", "intercept", "kernels", "scaling",
             "objective", "classes", "levels", "blueprint", "index", "pairing", "penalties")
  said <- unlist(lapply(parts, function(part) {
    lapply(list(NULL, 1:3, "a", list(1), matrix(0, 0, 0), data.frame()), function(value) {
      broken <- whole
      broken[part] <- list(value)
      vapply(uses, function(use) {
        tryCatch({
          suppressWarnings(use(broken))
          "answered"
        },
        flexkern_error = function(e) "refused",
        error = function(e) paste(part, conditionMessage(e)))
      }, "")
    })
  }))
  expect_identical(setdiff(said, c("answered", "refused")), character())
})
