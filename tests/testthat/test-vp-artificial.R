test_that("the five problems have the shape that the help page says", {
  for (type in c("I", "II", "III", "IV", "V")) {
    d <- vp_artificial(type, 200, seed = 1)
    inputs <- if (type %in% c("IV", "V")) c("x1", "x2") else "x"
    expect_named(d, c(inputs, "y", "f"))
    expect_equal(range(d$y), c(-1, 1))
    expect_true(all(abs(d[inputs]) <= 1))
    expect_length(attr(d, "center"), 1)
  }
})

test_that("the Bayes risk is near the one that the stand-ins were calibrated to", {
  wanted <- c(I = 0.0256, II = 0.0137, III = 0.0538, IV = 0.0083, V = 0.0625)
  for (type in names(wanted)) {
    d <- vp_artificial(type, 20000, seed = 1)
    expect_equal(mean((d$y - d$f)^2), wanted[[type]], tolerance = 0.05)
  }
})

test_that("set.seed() and seed agree, and seed leaves the stream alone", {
  set.seed(5)
  a <- vp_artificial("I", 50)
  expect_identical(vp_artificial("I", 50, seed = 5), a)
  set.seed(1)
  vp_artificial("I", 50, seed = 5)
  after <- runif(1)
  set.seed(1)
  expect_identical(after, runif(1))
})
