# Where nothing tells classes apart, what rounding left decides neither label nor probability.

test_that("the BLAS is the one that the check asks for", {
  wanted <- Sys.getenv("FLEXKERN_BLAS")
  skip_if(wanted == "", "no BLAS was asked for")
  expect_match(extSoftVersion()[["BLAS"]], paste0("/", wanted, "/"), fixed = TRUE)
})

# Every distinct row is there once in each class.
even <- function(classes, rows = 16) {
  set.seed(2)
  x <- cbind(a = round(runif(rows), 1), b = round(runif(rows), 1))
  list(x = x[rep(seq_len(rows), each = classes), ],
       y = factor(rep(letters[seq_len(classes)], rows)))
}

machines <- list(
  kbp = function(x, y) kbp(x, y, bandwidths = c(0.5, 1), bound = 1, probability = TRUE, seed = 1),
  kos = function(x, y) kos(x, y, gamma = 1, probability = TRUE, seed = 1),
  centered = function(x, y) kos(x, y, gamma = 1, centered = TRUE, probability = TRUE, seed = 1),
  rmekl = function(x, y) rmekl(x, y, c = 0.1, lambda = 1, probability = TRUE, seed = 1),
  ovr = function(x, y) {
    rmekl(x, y, c = 0.1, lambda = 1, multiclass = "ovr", probability = TRUE, seed = 1)
  },
  mhks = function(x, y) mhks(x, y, c = 0.1, probability = TRUE, seed = 1),
  kmhks = function(x, y) kmhks(x, y, c = 0.1, probability = TRUE, seed = 1),
  svm2k = function(x, y) svm2k(x, y, cost = 1, D = 0.5, probability = TRUE, seed = 1)
)

for (name in names(machines)) for (classes in 2:4) {
  test_that(paste0(name, ": ", classes, " classes without a difference: the first level"), {
    d <- even(classes)
    # Other last digits, as another BLAS would make them.
    for (unit in c(1, 1 / 3, 0.7)) {
      fit <- suppressWarnings(suppressMessages(machines[[name]](d$x * unit, d$y)))
      new <- rbind(d$x, cbind(runif(9), runif(9))) * unit
      expect_identical(levels(droplevels(predict(fit, new))), "a")
      p <- predict(fit, new, type = "prob")
      expect_equal(p, p[rep(1, nrow(new)), ], ignore_attr = TRUE, tolerance = 1e-9)
      expect_true(all(p[, 1] > apply(p[, -1, drop = FALSE], 1, max)))
    }
  })
}

test_that("ties are values within their rounding of the largest, or of 0", {
  settle_rows <- flexkern:::settle_rows
  eps <- .Machine$double.eps
  f <- rbind(c(1, 1 + eps, 0.5), c(0.1, 0.3, 0.3 - eps), c(0.2, 0.1, 0.3))
  expect_identical(settle_rows(f, 4 * eps), rbind(c(1 + eps, 1 + eps, 0.5), c(0.1, 0.3, 0.3),
                                                  c(0.2, 0.1, 0.3)))
  expect_identical(settle_rows(f, 0), f)
  expect_identical(settle_rows(cbind(c(eps, -eps, 1, NA)), 2 * eps), cbind(c(0, 0, 1, NA)))
  expect_identical(flexkern:::label_code(f), c(1L, 2L, 3L))
})

test_that("a difference above rounding is none", {
  x <- cbind(c(0, 1, 0, 1))
  fit <- kos(x, factor(c("a", "b", "a", "b")), gamma = 1e-6, scale = FALSE)
  expect_identical(as.character(predict(fit, x)), c("a", "b", "a", "b"))
})

test_that("equal eigenvalues stay together", {
  corner <- rbind(diag(3), 3 + diag(3))
  y <- factor(rep(c("a", "b"), each = 3))
  fit <- kos(corner, y, gamma = 1, scale = FALSE, energy = 0.6)
  lambda <- fit$spectrum[[1]]
  expect_equal(lambda[2], lambda[3])
  expect_true(all(fit$subspaces$rank %in% c(1L, 3L)))
  # which of the corners comes first does not matter
  turned <- kos(corner[c(3, 1, 2, 6, 4, 5), ], y, gamma = 1, scale = FALSE, energy = 0.6)
  new <- matrix(c(0.3, 0.1, 0.9, 2.2, 3.1, 2.8), 2, byrow = TRUE)
  expect_equal(predict(turned, new, type = "decision"), predict(fit, new, type = "decision"))
})
