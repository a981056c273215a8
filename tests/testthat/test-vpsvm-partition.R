artificial <- vp_artificial("IV", 600, seed = 1)

test_that("the automatic partition is one cell, then bounded cells", {
  one <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3)
  expect_identical(one$partition, "none")
  expect_identical(one$cell.size, 600L)
  many <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3, max.cell = 100, seed = 1)
  expect_identical(many$partition, "bounded")
  expect_lte(max(many$cell.size), 100)
  expect_equal(sum(many$cell.size), 600)
})

test_that("radius and cells make Voronoi cells", {
  by_radius <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3, radius = 0.6, seed = 1)
  expect_identical(by_radius$partition, "voronoi")
  expect_lte(by_radius$radius, 0.6)
  by_number <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3, cells = 5, seed = 1)
  expect_length(by_number$cell.size, 5)
  expect_identical(nrow(by_number$centers), 5L)
  one <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3, cells = 1)
  whole <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3, cells = 1L, partition = "none")
  expect_identical(whole$coef, one$coef)
  expect_identical(one$partition, "none")
  whole <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3, radius = 10, seed = 1)
  expect_equal(predict(whole, artificial), predict(one, artificial), tolerance = 1e-5)
})

test_that("each cell is its own machine, and the nearest center predicts", {
  fit <- vpsvm(y ~ x1 + x2, artificial, gamma = 10, lambda = 1e-3, cells = 4, clip = FALSE,
               seed = 1)
  x <- as.matrix(artificial[c("x1", "x2")])
  scaled <- apply(x, 2, function(v) 2 * (v - min(v)) / diff(range(v)) - 1)
  y <- (artificial$y - fit$label[["center"]]) / fit$label[["half"]]
  nearest <- ref_assign(scaled, fit$centers)
  expect_identical(fit$cell, nearest)
  rows <- which(nearest == 2)
  k <- ref_kernel(scaled[rows, ], scaled[rows, ], "radial", 10) + 1
  by_hand <- k %*% ref_solve(k, cbind(y[rows]), rep(1, length(rows)), 1e-3)
  expect_equal(predict(fit, artificial[rows, ]),
               as.vector(by_hand) * fit$label[["half"]] + fit$label[["center"]], tolerance = 1e-5)
})

test_that("a random partition averages, and its votes are shares", {
  fit <- vpsvm(y ~ x1 + x2, artificial, partition = "random", cells = 3, gamma = 10,
               lambda = 1e-3, seed = 1)
  expect_identical(fit$partition, "random")
  expect_true(is.na(fit$radius))
  d <- two_classes(90)
  fit <- vpsvm(y ~ ., d, partition = "random", cells = 3, gamma = 1, lambda = 0.01, seed = 1)
  votes <- predict(fit, d, type = "votes")
  expect_equal(rowSums(votes), rep(1, 90))
  expect_true(all(votes %in% c(0, 1 / 3, 2 / 3, 1)))
  expect_gt(mean(colnames(votes)[max.col(votes, "first")] == predict(fit, d)), 0.9)
  single <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
  one <- predict(single, d, type = "votes")
  expect_identical(colnames(one)[max.col(one, "first")], as.character(predict(single, d)))
})

test_that("each cell selects its own parameters", {
  fit <- vpsvm(y ~ x1 + x2, artificial, cells = 3, gamma = c(1, 10, 100), lambda = c(1e-2, 1e-4),
               seed = 1)
  expect_length(fit$gamma, 3)
  expect_true(all(fit$gamma %in% c(1, 10, 100)))
  expect_length(fit$grid, 3)
  for (j in 1:3) {
    best <- arrayInd(which.min(fit$grid[[j]]$risk), dim(fit$grid[[j]]$risk))
    expect_equal(fit$grid[[j]]$gamma[best[1]], fit$gamma[j])
  }
  cells <- summary(fit)$cells
  expect_identical(nrow(cells), 3L)
  expect_identical(cells$size, fit$cell.size)
})

test_that("equal rows stay together, also beyond max.cell", {
  set.seed(1)
  x <- rbind(matrix(0.5, 100, 2), matrix(runif(400), 200))
  fit <- vpsvm(x, rnorm(300), max.cell = 50, gamma = 1, lambda = 1, seed = 1)
  expect_length(unique(fit$cell[1:100]), 1)
  expect_lte(max(fit$cell.size[-fit$cell[1]]), 50)
})
