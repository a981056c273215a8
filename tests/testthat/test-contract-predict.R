# What predict() gives back for every shape of new data.

d <- two_classes()
X <- d[-1]
g <- with_group()

for_each_fitter(list(
  "D24: columns are matched by name, extra ones dropped" = function(f) {
    m <- f$quick(y ~ ., data = d)
    expect_identical(predict(m, d[c("c", "a", "y", "b")]), predict(m, d))
    expect_identical(predict(m, as.matrix(X)[, 3:1]), predict(m, d))
    expect_identical(predict(m, cbind(d, zzz = "text")), predict(m, d))
  },
  "D25: missing columns are listed" = function(f) {
    m <- f$quick(y ~ ., data = d)
    expect_flexkern_error(predict(m, d["a"]), "`b`, `c`")
    expect_flexkern_error(predict(f$quick(X, d$y), d["a"]), "`b`, `c`")
  },
  "D26: nothing is looked up outside newdata" = function(f) {
    m <- f$quick(y ~ ., data = d)
    b <- rnorm(40)
    expect_flexkern_error(predict(m, d[c("a", "c")]), "`b`")
    m <- f$quick(y ~ a + I(b^2), data = d)
    expect_flexkern_error(predict(m, d[c("a", "c")]), "`b`")
  },
  "D23: a vector with one value per column is one row" = function(f) {
    M <- as.matrix(X)
    m <- f$quick(M, d$y)
    expect_identical(predict(m, M[1, ]), predict(m, M)[1])
    expect_identical(predict(m, unname(M[1, ])), predict(m, M)[1])
    expect_identical(predict(m, M[1, 3:1]), predict(m, M)[1])
    expect_flexkern_error(predict(m, 1:4), "length 4.*3 columns")
  },
  "D22: one row keeps its shape" = function(f) {
    m <- f$small(y ~ ., data = d, probability = TRUE)
    expect_identical(dim(predict(m, d[1, ], type = "prob")), c(1L, 2L))
    expect_identical(dim(predict(m, d[1, ], type = "decision")), c(1L, 1L))
    expect_identical(colnames(predict(m, d[1, ], type = "prob")), c("low", "high"))
    expect_identical(predict(m, d[1, ]), predict(m, d)[1])
  },
  "D27: zero rows give zero predictions" = function(f) {
    m <- f$small(y ~ ., data = d, probability = TRUE)
    expect_identical(predict(m, d[0, ]), factor(character(), levels = c("low", "high")))
    for (type in c("decision", "prob", "votes")) expect_equal(nrow(predict(m, d[0, ], type)), 0)
    expect_silent(predict(f$quick(Species ~ ., iris), iris[0, ]))
    if (!f$regression) return()
    expect_identical(predict(f$quick(t ~ ., regression_data()), regression_data()[0, ]), numeric())
  },
  "D17, D18: rows with missing values give NA in place" = function(f) {
    m <- f$small(y ~ ., data = d, probability = TRUE)
    e <- d[1:4, ]
    e$b[2] <- NA
    p <- predict(m, e)
    expect_identical(which(is.na(p)), 2L)
    expect_identical(p[-2], predict(m, e[-2, ]))
    expect_identical(which(is.na(predict(m, e, type = "prob")[, "high"])), 2L)
    e$b <- NA
    expect_identical(is.na(predict(m, e)), rep(TRUE, 4))
    if (!f$regression) return()
    r <- f$quick(t ~ ., regression_data())
    expect_identical(is.na(predict(r, data.frame(u = c(1, NA), v = 0))), c(FALSE, TRUE))
  },
  "D21: na.action is honoured" = function(f) {
    m <- f$quick(y ~ ., data = d)
    e <- d[1:4, ]
    e$b[2] <- NA
    expect_length(predict(m, e, na.action = na.omit), 3)
    expect_length(predict(m, e, na.action = na.pass), 4)
    expect_flexkern_error(predict(m, e, na.action = na.fail), "1 row")
  },
  "D10, D14, D19: a novel level is an error that names column and level" = function(f) {
    m <- f$quick(y ~ k + a, data = g)
    new <- transform(g[1:2, ], k = c("r", "zz"))
    expect_flexkern_error(predict(m, new), "`k`.*`zz`")
    expect_warning(p <- predict(m, new, novel = "na"), "1 row")
    expect_identical(is.na(p), c(FALSE, TRUE))
    expect_false(anyNA(predict(m, new, novel = "ignore")))
    new$k[1] <- NA
    expect_identical(is.na(predict(m, new, novel = "ignore")), c(TRUE, FALSE))
  },
  "a novel level is ignored, a missing number is not" = function(f) {
    new <- transform(g[1:4, ], k = "zz")
    new$a[2] <- NA
    for (m in list(f$quick(y ~ k + a, g), f$quick(y ~ k * a, g), f$quick(y ~ factor(k):a, g))) {
      expect_silent(p <- predict(m, new, type = "decision", novel = "ignore"))
      expect_identical(which(is.na(p)), 2L)
    }
    kept <- f$quick(y ~ k + a, g, scale = FALSE)
    by_hand <- f$quick(cbind(r = g$k == "r", s = g$k == "s", a = sqrt(2) * g$a) / sqrt(2), g$y,
                       scale = FALSE)
    zero <- cbind(0, 0, new$a[-2])
    expect_equal(predict(kept, new[-2, ], novel = "ignore", type = "decision"),
                 predict(by_hand, zero, type = "decision"))
  },
  "a level that the formula makes is named" = function(f) {
    n <- transform(d, k = rep(1:2, 20))
    m <- f$quick(y ~ factor(k) + a, n)
    expect_flexkern_error(predict(m, transform(n, k = 7)), "`factor\\(k\\)` .* level `7`")
  },
  "D11: a missing level is missing, not novel" = function(f) {
    m <- f$quick(y ~ k + a, data = g)
    new <- g[1:2, ]
    new$k[2] <- NA
    expect_silent(p <- predict(m, new))
    expect_identical(is.na(p), c(FALSE, TRUE))
  },
  "D12: text is matched to the stored levels" = function(f) {
    h <- transform(g, k = as.character(k))
    m <- f$quick(y ~ k + a, data = h)
    expect_length(predict(m, h[1:3, ]), 3)
    expect_identical(predict(m, h[1, ]), predict(f$quick(y ~ k + a, data = g), g[1, ]))
    one <- transform(g[1:3, ], k = factor(k, levels = "r"))
    expect_identical(predict(m, one[1, ]), predict(m, h[1, ]))
  },
  "D13: a changed column type is named" = function(f) {
    m <- f$quick(y ~ k + a, data = g)
    expect_flexkern_error(predict(m, transform(g[1:2, ], k = 1:2)), "`k`.*factor when")
    expect_flexkern_error(predict(m, transform(g[1:2, ], a = "1")), "`a`.*numeric when")
  },
  "D04, D15, D16: the answer is a factor with all training levels" = function(f) {
    m <- f$quick(y ~ a + b, data = d)
    expect_identical(levels(predict(m, d)), levels(d$y))
    expect_identical(levels(predict(m, d[1, ])), levels(d$y))
    low <- predict(m, d[d$y == "low", ][1:3, ])
    expect_identical(levels(low), levels(d$y))
    spare <- factor(d$y, levels = c("none", "low", "high"))
    p <- predict(f$quick(X, spare), X)
    expect_identical(levels(p), levels(spare))
    expect_false("none" %in% p)
  },
  "D21: an unknown argument to predict is an error" = function(f) {
    m <- f$quick(y ~ ., data = d)
    expect_flexkern_error(predict(m, d, na.acton = na.omit), "na.acton.*na.action")
    expect_flexkern_error(predict(m, d, decision.values = TRUE), "type = \"decision\"")
  },
  "D35: decision values are positive for the second level, whatever the row order" = function(f) {
    m <- f$quick(y ~ ., data = d)
    f1 <- predict(m, d, type = "decision")
    expect_identical(colnames(f1), "high/low")
    expect_identical(f1[, 1] > 0, predict(m, d) == "high")
    f2 <- predict(f$quick(y ~ ., data = d[40:1, ]), d, type = "decision")
    expect_equal(f1, f2, tolerance = if (isTRUE(f$row.parts)) 1 else 1e-3)
    sure <- abs(f1) > if (isTRUE(f$row.parts)) 0.05 else 0
    expect_gt(sum(sure), 30)
    expect_identical(f1[sure] > 0, f2[sure] > 0)
    fit <- if (isTRUE(f$row.parts)) f$small else f$fit
    searched <- predict(fit(y ~ ., data = d[40:1, ]), d, type = "decision")
    expect_identical(sign(searched[c(1, 40), 1]), c(-1, 1))
  },
  "D36: three classes have one decision column each" = function(f) {
    skip_if(isTRUE(f$pairs))
    m <- f$quick(Species ~ ., iris)
    p <- predict(m, iris, type = "decision")
    expect_identical(dimnames(p), list(NULL, levels(iris$Species)))
    expect_identical(colnames(p)[max.col(p, "first")], as.character(predict(m, iris)))
  },
  "D56, D58: the memory budget cuts prediction into blocks that change nothing" = function(f) {
    m <- f$small(Species ~ ., iris, probability = f$probability, seed = 1)
    many <- iris[rep(1:150, 20), ]
    for (type in c("response", "decision", if (f$probability) "prob")) {
      expect_identical(predict(m, many, type = type, memory = 1e5), predict(m, many, type = type))
    }
    expect_flexkern_error(predict(m, many, memory = 1), "at least .* kB.*256 rows.*1 byte")
    expect_length(predict(m, iris[0, ], memory = 1e5), 0)
  },
  "predict without newdata is fitted" = function(f) {
    m <- f$quick(y ~ ., data = d)
    expect_identical(predict(m), fitted(m))
    expect_identical(fitted(m), predict(m, d))
    if (!f$regression) return()
    r <- regression_data()
    m <- f$quick(t ~ ., data = r)
    expect_equal(fitted(m), predict(m, r), tolerance = 1e-5)
    expect_equal(residuals(m), r$t - fitted(m))
  }
))
