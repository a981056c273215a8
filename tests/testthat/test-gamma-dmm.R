# The dual min-max width against loops over the dense distance matrix.

options_of_distance <- c("nn", "pair_min", "pair_mean", "centroid", "min")

# Data with everything that may go wrong in a distance: ties, duplicates within and across classes,
# singletons, constant columns, far offsets.
awkward_data <- function(seed) {
  set.seed(seed)
  n <- sample(c(3, 10, 49, 60, 200), 1)
  x <- matrix(rnorm(n * sample(c(1, 2, 5, 30), 1)), n)
  if (seed %% 2 == 0) x <- round(x)
  if (seed %% 5 == 0) x <- x + 100
  if (seed %% 3 == 0) x <- cbind(x, 7)
  y <- sample(letters[seq_len(sample(2:5, 1))], n, replace = TRUE)
  y[1:2] <- c("a", "b")
  if (seed %% 7 == 0) y[3] <- "z"
  list(x = x, y = factor(y, levels = letters))
}

test_that("fifty awkward data sets agree with plain loops", {
  for (seed in 1:50) {
    a <- awkward_data(seed)
    all <- sqrt(ref_distance2(a$x, a$x))
    for (distance in options_of_distance) {
      ref <- suppressWarnings(ref_dmm(a$x, a$y, distance, all = all))
      if (!is.finite(ref$d) || ref$d == 0) {
        expect_flexkern_error(gamma_dmm(a$x, a$y, distance, scale = FALSE), "coincide")
        next
      }
      g <- suppressWarnings(gamma_dmm(a$x, a$y, distance, scale = FALSE))
      expect_equal(g$D_max, if (ref$D > 0) ref$D else ref$d, tolerance = 1e-12)
      expect_equal(g$d, ref$d, tolerance = 1e-12)
      expect_equal(as.numeric(g), ref$gamma, tolerance = 1e-12)
      expect_equal(1 / (2 * g$sigma^2), g$gamma, tolerance = 1e-12)
    }
  }
})

test_that("the pairs attain what is reported, and ties go to the first rows", {
  for (seed in 1:20) {
    a <- awkward_data(seed)
    all <- sqrt(ref_distance2(a$x, a$x))
    g <- suppressWarnings(gamma_dmm(a$x, a$y, "nn", scale = FALSE))
    for (k in which(g$diameters$size > 1)) {
      rows <- which(a$y == g$diameters$class[k])
      within <- all[rows, rows]
      at <- which(within == max(within) & upper.tri(within), arr.ind = TRUE)
      first <- at[order(at[, 1], at[, 2])[1], ]
      expect_identical(unlist(g$diameters[k, c("row1", "row2")], use.names = FALSE),
                       as.numeric(rows[first]))
    }
    expect_true(all(is.na(g$diameters$row1[g$diameters$size == 1])))
    between <- all[g$closest$row1, g$closest$row2]
    expect_equal(g$closest$distance, between, tolerance = 1e-14)
    across <- all[outer(a$y, a$y, "!=")]
    expect_equal(between, min(across[across > 0]), tolerance = 1e-14)
  }
})

test_that("the figures of iris", {
  g <- gamma_dmm(Species ~ ., iris)
  expect_equal(g$D_max, 2.104450573, tolerance = 1e-9)
  expect_equal(g$gamma, 0.6684141297, tolerance = 1e-9)
  expect_equal(g$sigma, 0.8648926197, tolerance = 1e-9)
  expect_equal(g$sigma, sqrt(g$D_max * g$d / 2))
  d <- vapply(options_of_distance, function(o) gamma_dmm(Species ~ ., iris, distance = o)$d, 0)
  expect_equal(d[["nn"]], 0.7109116774, tolerance = 1e-9)
  expect_equal(d[["pair_min"]], 0.8788300529, tolerance = 1e-9)
  expect_equal(d[["pair_mean"]], 1.639086009, tolerance = 1e-9)
  expect_equal(d[["min"]], 0.1756820922, tolerance = 1e-9)
})

test_that("gamma minimises G, for any lambda", {
  g <- gamma_dmm(Species ~ ., iris, lambda = 0.8)
  objective <- function(gamma) 0.8 * gamma * g$D_max^2 + 0.2 / (gamma * g$d^2)
  best <- optimize(function(t) objective(exp(t)), log(g$gamma) + c(-1, 1), tol = 1e-10)
  expect_equal(g$gamma, exp(best$minimum), tolerance = 1e-6)
  expect_equal(g$gamma, gamma_dmm(Species ~ ., iris)$gamma / 2)
})

test_that("a common factor comes out squared, even where squares overflow", {
  x <- as.matrix(iris[1:4])
  for (distance in options_of_distance) {
    one <- gamma_dmm(x, iris$Species, distance, scale = FALSE)
    for (factor in c(10, 2^-30, 2^150, 2^-150)) {
      many <- gamma_dmm(factor * x, iris$Species, distance, scale = FALSE)
      expect_equal(many$gamma * factor * factor, one$gamma, tolerance = 1e-12)
      expect_equal(many$d, one$d * factor, tolerance = 1e-12)
    }
    expect_equal(gamma_dmm(1000 * x, iris$Species, distance)$gamma,
                 gamma_dmm(x, iris$Species, distance)$gamma, tolerance = 1e-12)
  }
})

test_that("neither the order of the rows nor threads nor the instruction set show", {
  a <- awkward_data(16)
  set.seed(1)
  order <- sample(nrow(a$x))
  for (distance in options_of_distance) {
    g <- suppressWarnings(gamma_dmm(a$x, a$y, distance, threads = 1))
    again <- suppressWarnings(gamma_dmm(a$x[order, ], a$y[order], distance, threads = 2))
    expect_equal(again$gamma, g$gamma, tolerance = if (distance == "nn") 0 else 1e-14)
    before <- options(flexkern.isa = "plain")
    plain <- suppressWarnings(gamma_dmm(a$x, a$y, distance, threads = 2))
    options(before)
    expect_identical(plain[c("gamma", "D_max", "d", "diameters", "closest")],
                     g[c("gamma", "D_max", "d", "diameters", "closest")])
  }
})

test_that("larger classes go through many blocks", {
  set.seed(5)
  y <- factor(sample(c("a", "b", "c"), 700, TRUE, c(0.7, 0.2, 0.1)))
  x <- matrix(rnorm(700 * 8), 700) + as.integer(y) %% 2
  all <- sqrt(ref_distance2(x, x))
  for (distance in options_of_distance) {
    expect_equal(gamma_dmm(x, y, distance, scale = FALSE)$gamma,
                 ref_dmm(x, y, distance, all = all)$gamma, tolerance = 1e-12)
  }
})

test_that("duplicates across classes and singletons: the right value and one warning", {
  x <- cbind(c(0, 0, 1, 3, 10))
  y <- factor(c("a", "b", "a", "b", "c"))
  expect_warning(g <- gamma_dmm(x, y, scale = FALSE), "2 distances of 0.*`c` has a single row")
  expect_equal(g$d, mean(c(1, 2, 7)))
  expect_equal(g$D_max, 3)
  expect_warning(g <- gamma_dmm(x, y, "min", scale = FALSE), "1 distance of 0")
  expect_equal(g$d, 1)
  expect_warning(g <- gamma_dmm(cbind(c(1, 3)), c("p", "q"), scale = FALSE), "takes")
  expect_equal(g$gamma, 1 / 4)
  expect_equal(c(g$D_max, g$d, g$sigma), c(2, 2, sqrt(2)))
  expect_snapshot(g <- gamma_dmm(cbind(c(0, 0, 0, 9)), factor(c(1, 2, 2, 3)), scale = FALSE))
  twins <- suppressWarnings(gamma_dmm(cbind(c(0, 1, 0, 1)), factor(c(1, 1, 2, 2)), scale = FALSE))
  expect_equal(twins$d, 1)
})

test_that("class means that coincide up to rounding are not told apart", {
  set.seed(2)
  x <- matrix(rnorm(60), 20)
  twice <- factor(rep(c("a", "b"), each = 20))
  both <- rbind(x, x[20:1, ])
  expect_flexkern_error(gamma_dmm(both, twice, "centroid"), "coincide")
})

test_that("a sample is used only when asked for, by one number of the stream", {
  set.seed(3)
  x <- matrix(rnorm(900 * 3), 900)
  y <- factor(rep(c("a", "b", "rare"), c(500, 398, 2)))
  set.seed(1)
  full <- gamma_dmm(x, y)
  expect_identical(full$sampled, 900L)
  g <- gamma_dmm(x, y, max.n = 300)
  after <- runif(1)
  set.seed(1)
  runif(1)
  expect_identical(runif(1), after)
  expect_identical(g$sampled, 300L)
  expect_identical(g$D_max, full$D_max)
  expect_gt(g$d, full$d)
  expect_identical(gamma_dmm(x, y, max.n = 300, seed = 4)$d,
                   gamma_dmm(x, y, max.n = 300, seed = 4)$d)
})

test_that("a sample has max.n rows, with one of every class and the rest in proportion", {
  quota <- getFromNamespace("class_quota", "flexkern")
  expect_equal(quota(c(500, 398, 2), 300), c(166, 133, 1))
  for (seed in 1:50) {
    set.seed(seed)
    size <- sample(1:60, sample(2:8, 1), TRUE)
    total <- sample(length(size):sum(size), 1)
    q <- quota(size, total)
    expect_equal(sum(q), total)
    expect_true(all(q >= 1 & q <= size))
    even <- 1 + (total - length(size)) * (size - 1) / max(sum(size) - length(size), 1)
    expect_lt(max(abs(q - even)), 1)
  }
  rows_of <- getFromNamespace("sample_rows", "flexkern")
  code <- sample(1:3, 40, TRUE)
  for (n in c(3, 10, 39, 39.9)) {
    rows <- rows_of(code, list(max.n = n, seed = 2))
    expect_identical(anyDuplicated(rows), 0L)
    expect_equal(tabulate(code[rows]), quota(tabulate(code), floor(n)))
  }
  expect_false(identical(rows, rows_of(code, list(max.n = 39, seed = 3))))
  d <- two_classes()
  for (n in c(2, 3, 39, 40)) {
    expect_equal(gamma_dmm(y ~ ., d, max.n = n, seed = 1)$sampled, n)
  }
})

test_that("standardizing keeps all digits of very small and very large values", {
  x <- as.matrix(iris[1:4])
  one <- gamma_dmm(x, iris$Species, scale = "standardize")$gamma
  for (factor in c(1e-160, 1e160, 1e-290, 1e290)) {
    expect_equal(gamma_dmm(factor * x, iris$Species, scale = "standardize")$gamma, one,
                 tolerance = 1e-13)
    sparse <- as_sparse_matrix(factor * x)
    expect_equal(gamma_dmm(sparse, iris$Species, scale = "standardize")$gamma, one,
                 tolerance = 1e-13)
  }
})

test_that("vpsvm() takes the object with its scaling, and the rules by name", {
  g <- gamma_dmm(Species ~ ., iris, scale = "standardize")
  by_object <- vpsvm(Species ~ ., iris, gamma = g, lambda = 1e-3)
  by_number <- vpsvm(Species ~ ., iris, gamma = as.numeric(g), scale = "standardize", lambda = 1e-3)
  expect_identical(predict(by_object, iris, "decision"), predict(by_number, iris, "decision"))
  expect_identical(by_object$scaling, g$scaling)
  dmm <- vpsvm(Species ~ ., iris, gamma = "dmm", lambda = 1e-3)
  expect_identical(dmm$gamma, gamma_dmm(Species ~ ., iris)$gamma)
  median <- vpsvm(Species ~ ., iris, gamma = "median", lambda = 1e-3)
  expect_identical(median$gamma, gamma_median(iris[1:4], scale = "range"))
  searched <- vpsvm(Species ~ ., iris, gamma = "dmm", seed = 1)
  expect_identical(nrow(searched$grid[[1]]$risk), 1L)
})

test_that("weights of whole numbers are repeated rows for gamma = \"dmm\" too", {
  d <- two_classes()
  w <- rep(0:2, length.out = 40)
  weighted <- vpsvm(y ~ ., d, weights = w, gamma = "dmm", lambda = 0.01)
  repeated <- vpsvm(y ~ ., d[rep(1:40, w), ], gamma = "dmm", lambda = 0.01)
  expect_equal(weighted$gamma, repeated$gamma, tolerance = 1e-12)
})

test_that("the object prints, converts and plots", {
  g <- gamma_dmm(Species ~ ., iris)
  expect_snapshot(g)
  expect_identical(as.numeric(g), g$gamma)
  expect_identical(as.double(g), g$gamma)
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(withVisible(plot(g)), list(value = g, visible = FALSE))
  expect_no_error(plot(g, "pareto", lambda = c(0.1, 0.9)))
  expect_no_error(plot(suppressWarnings(gamma_dmm(cbind(0:1), factor(1:2))), "pareto"))
})

test_that("wrong calls are errors in these words", {
  d <- two_classes()
  X <- d[-1]
  with_inf <- replace(X, cbind(3, 2), Inf)
  g <- gamma_dmm(y ~ ., d)
  same <- matrix(1, 4, 2)
  two <- factor(c("a", "b", "a", "b"))
  calls <- alist(
    gamma_dmm(X), gamma_dmm(X, 1:40 / 3), gamma_dmm(X, rep(0:1, 20)),
    gamma_dmm(X, factor(rep("a", 40))), gamma_dmm(X, d$y[1:3]), gamma_dmm(with_inf, d$y),
    gamma_dmm(replace(X, cbind(3, 2), NA), d$y), gamma_dmm(X[1, ], d$y[1]),
    gamma_dmm(same, two, scale = FALSE), gamma_dmm(same, two, "min", scale = FALSE),
    gamma_dmm(same, two, "pair_mean", scale = FALSE),
    gamma_dmm(cbind(c(-1, 0, 1, 0)), factor(c("a", "b", "a", "b")), "centroid", scale = FALSE),
    gamma_dmm(1e-170 * as.matrix(X), d$y, scale = FALSE), gamma_dmm(X, d$y, "mean"),
    gamma_dmm(X, d$y, lambda = 1), gamma_dmm(X, d$y, lambda = c(0.1, 0.2)),
    gamma_dmm(X, d$y, lambda = 1e-300), gamma_dmm(X, d$y, seed = "a"), gamma_dmm(),
    gamma_dmm(iris[1:4], iris$Species, max.n = 2), gamma_dmm(X, d$y, data = d), gamma_median(),
    gamma_dmm(X, d$y, max.n = 1), gamma_dmm(X, d$y, gama = 1), gamma_dmm(y ~ ., d, y = 1),
    gamma_dmm(X, d$y, threads = 0), plot(g, "front"), plot(g, lambda = 2),
    vpsvm(X, d$y, gamma = g, scale = "none"), vpsvm(X[1:2], d$y, gamma = g),
    vpsvm(X, d$y, gamma = "dmm", kernel = "polynomial"),
    vpsvm(X, d$y, gamma = g, kernel = "linear"), vpsvm(X, 1:40 / 3, gamma = "dmm"),
    vpsvm(X, d$y, gamma = "dmn"), gamma_median(matrix(1, 5, 2)), gamma_median("a"),
    gamma_median(1e-170 * as.matrix(X)), gamma_median(with_inf), gamma_median(X, max.n = 0),
    gamma_sigest(X, probs = 2), gamma_sigest(matrix(1, 5, 2)),
    gamma_sigest(X, probs = c(0.1, 0.5, 1)), plot(g, "pareto", lambda = c(0.5, 0)),
    vpsvm(X, d$y, gamma = c(1, 0, 2)), vpsvm(X, d$y, lambda = c(1, 1e-3, -1e-3)),
    vpsvm(1:40, 1:40, loss = "pinball", tau = c(0.1, 1))
  )
  expect_refusals(calls)
})
