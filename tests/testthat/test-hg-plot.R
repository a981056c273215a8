# Pictures of hierarchical kernels, and what they show.

kernel <- hg_kernel(list(1:2, hg_kernel(c(2, 4), c(3, 0.5))), c(0.6, 0.2))

test_that("tiles are the growth of the distance of near rows", {
  h <- 1e-4
  tiles <- flexkern:::leaf_weights(kernel, 4L)
  expect_equal(tiles, 2 * rbind(0.36 * c(1, 1, 0, 0), 0.04 * c(0, 9, 0, 0.25)))
  slopes <- vapply(1:4, function(j) {
    -log(hg_gram(kernel, rbind(rep(0, 4), replace(numeric(4), j, h)))[1, 2]) / h^2
  }, 0)
  expect_equal(colSums(tiles), slopes, tolerance = 1e-5)
})

test_that("a kernel is drawn, with names or without", {
  seen <- main_plot(plot(kernel, main = "mine"))
  expect_identical(dim(seen$z), c(4L, 2L))
  expect_true(drawn(plot(kernel, names = letters[1:4])))
  expect_true(drawn(plot(hg_inhomogeneous(3))))
  expect_true(drawn(plot(hg_kernel(list("a", c("b", "a"))))))
  expect_true(drawn(plot(hg_random(60, 8, 2, seed = 1))))
})
