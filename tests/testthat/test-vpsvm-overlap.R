bumps <- vp_artificial("IV", 500, seed = 3)
points <- as.matrix(bumps[c("x1", "x2")])

margins_of <- function(x, overlap, ...) {
  flexkern:::fk_partition(x, list(..., overlap = overlap, seed = 5, threads = 2L))
}

# The rows that the models of cell j train on beside the cell's own.
margin_of <- function(fit, j) {
  rows <- fit$index[(fit$offset[j] + 1):fit$offset[j + 1]]
  rows[-seq_len(fit$cell.size[j])]
}

quick <- function(..., x = points) {
  vpsvm(x, bumps$y, ..., gamma = 10, lambda = 1e-3, seed = 2)
}

test_that("the margin is what the definition says", {
  set.seed(1)
  wide <- matrix(rnorm(300 * 12), 300)
  twice <- rbind(points[1:150, ], points[1:150, ])
  for (x in list(points, wide, twice)) {
    for (options in list(list(type = "voronoi", cells = 7L),
                         list(type = "bounded", max_cell = 90L, min_cell = 10L))) {
      for (overlap in c(0.1, 0.5, 1)) {
        part <- do.call(margins_of, c(list(x, overlap), options))
        expect_identical(part$margin, ref_margins(x, part, overlap))
      }
    }
  }
})

test_that("a margin has its share of rows, of other cells, and no more than there are", {
  for (overlap in c(0.25, 1)) {
    fit <- quick(cells = 4, overlap = overlap)
    expect_identical(fit$overlap, overlap)
    for (j in 1:4) {
      margin <- margin_of(fit, j)
      wanted <- min(round(overlap * fit$cell.size[j]), 500 - fit$cell.size[j])
      expect_lte(abs(length(margin) - wanted), 1)
      expect_false(any(fit$cell[margin] == j))
      expect_false(anyDuplicated(margin) > 0)
    }
  }
  lopsided <- rbind(points[1:90, ] / 100, points[91:100, ] + 50)
  fit <- vpsvm(lopsided, bumps$y[1:100], cells = 2, overlap = 1, gamma = 1, lambda = 0.1, seed = 1)
  large <- which.max(fit$cell.size)
  expect_identical(margin_of(fit, large), which(fit$cell != large))
})

test_that("without overlap and with one cell nothing changes, and chunks have none", {
  parts <- c("coef", "index", "fitted", "cv.error")
  same <- function(a, b) expect_identical(a[parts], b[parts])
  same(quick(overlap = 1), quick(overlap = 0))
  expect_flexkern_error(quick(partition = "random", cells = 3, overlap = 1), "`overlap`")
  alone <- quick(overlap = 1)
  expect_identical(alone$overlap, 0)
  none <- quick(cells = 4, overlap = 0)
  expect_identical(sort(none$index), 1:500)
})

test_that("by default the automatic partition has margins and refits, the paper's has none", {
  by_size <- quick(max.cell = 150)
  expect_identical(by_size[c("overlap", "final")], list(overlap = 1, final = "refit"))
  searched <- vpsvm(points, bumps$y, cells = 4, gamma = c(3, 30), lambda = 0.01, seed = 1)
  expect_identical(searched[c("overlap", "final")], list(overlap = 0, final = "average"))
  searched <- vpsvm(points, bumps$y, max.cell = 150, gamma = c(3, 30), lambda = 0.01, seed = 1)
  expect_identical(searched[c("overlap", "final")], list(overlap = 1, final = "refit"))
  same <- vpsvm(points, bumps$y, max.cell = 150, gamma = c(3, 30), lambda = 0.01, seed = 1,
                overlap = 1, final = "refit")
  expect_identical(same$coef, searched$coef)
})

test_that("a cell's model is the machine on its rows and its margin", {
  fit <- quick(cells = 4, overlap = 0.5, scale = FALSE, clip = FALSE)
  y <- (bumps$y - fit$label[["center"]]) / fit$label[["half"]]
  own <- which(fit$cell == 3)
  rows <- c(own, margin_of(fit, 3))
  k <- ref_kernel(points[rows, ], points[rows, ], "radial", 10) + 1
  # The mean loss of the own rows, and the margin's on top: lambda times the own number of rows.
  by_hand <- k[seq_along(own), ] %*% solve(k + 1e-3 * length(own) * diag(length(rows)), y[rows])
  value <- as.vector(by_hand) * fit$label[["half"]] + fit$label[["center"]]
  expect_equal(fit$fitted[own], value, tolerance = 1e-5)
  expect_equal(predict(fit, points[own, ]), value, tolerance = 1e-5)
})

test_that("every row is fitted and validated once, by its own cell", {
  for (final in c("average", "refit")) {
    searched <- function(...) {
      vpsvm(points, bumps$y, cells = 4, gamma = c(3, 30), lambda = c(0.01, 1e-4), final = final,
            seed = 1, ...)
    }
    fit <- searched(overlap = 0.5)
    expect_length(fit$fitted, 500)
    expect_equal(predict(fit, points), fit$fitted, tolerance = 1e-6)
    expect_false(anyNA(fit$residuals))
    one <- searched(overlap = 0.5, threads = 1)
    expect_identical(fit$coef, one$coef)
    expect_identical(fit$grid, one$grid)
    narrow <- searched(overlap = 0)
    expect_identical(fit$cell, narrow$cell)
    expect_identical(fit$gamma, narrow$gamma)
    expect_identical(fit$lambda, narrow$lambda)
  }
})

test_that("held-out values come from models that saw the margin but not the row", {
  wide <- quick(cells = 3, overlap = 1, final = "average")
  narrow <- quick(cells = 3, overlap = 0, final = "average")
  expect_false(wide$cv.error == narrow$cv.error)
  expect_gt(wide$cv.error, mean(wide$residuals^2))
})

test_that("a cell of one class is that class, whatever is in its margin", {
  x <- cbind(c(seq(0, 1, length.out = 50), seq(2, 3, length.out = 50)))
  y <- factor(rep(c("a", "b"), each = 50))
  fit <- vpsvm(x, y, cells = 2, overlap = 0.5, seed = 1, scale = FALSE)
  expect_identical(fitted(fit), y)
  expect_identical(predict(fit, x), y)
  expect_identical(nrow(fit$sv), 0L)
})

test_that("print and summary show the overlap", {
  fit <- quick(cells = 4, overlap = 0.5)
  expect_output(print(fit), "overlap 0.5")
  expect_output(print(summary(fit)), "overlap 0.5")
  expect_false(any(grepl("overlap", utils::capture.output(print(quick())))))
})

test_that("a saved model with margins predicts the same", {
  fit <- quick(cells = 4, overlap = 0.5)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), points), predict(fit, points))
})
