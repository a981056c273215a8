# What may come in through the formula and through x and y.

d <- two_classes()
X <- d[-1]

for_each_fitter(list(
  "D29: formula and x/y give the same model to the bit" = function(f) {
    a <- f$quick(y ~ ., data = d)
    b <- f$quick(x = X, y = d$y)
    m <- f$quick(as.matrix(X), d$y)
    expect_identical(predict(a, d, type = "decision"), predict(b, X, type = "decision"))
    expect_identical(predict(a, d, type = "decision"), predict(m, X, type = "decision"))
  },
  "the formula can be given by name and by position" = function(f) {
    expect_same_model(f$quick(formula = y ~ ., data = d), f$quick(y ~ ., d), d)
  },
  "D02: any column name is accepted" = function(f) {
    odd <- setNames(d, c("y", "0 len", "wid+th", "if"))
    m <- f$quick(y ~ ., data = odd)
    expect_identical(predict(m, odd), predict(f$quick(y ~ ., data = d), d))
    expect_identical(predict(m, odd), predict(f$quick(x = odd[-1], y = odd$y), odd))
    expect_length(predict(f$quick(y ~ `0 len` + `if`, data = odd), odd), 40)
  },
  "D03: a tibble and a data.table are data frames" = function(f) {
    m <- f$quick(x = X, y = d$y)
    tb <- from_package("tibble", "as_tibble")(d)
    expect_same_model(m, f$quick(x = tb[-1], y = tb["y"]), d, tb)
    expect_same_model(m, f$quick(y ~ ., data = tb), d, tb)
    dt <- from_package("data.table", "as.data.table")(d)
    expect_same_model(m, f$quick(y ~ ., data = dt), d, dt)
    expect_same_model(m, f$quick(x = dt[, -1], y = dt$y), d, dt)
  },
  "a one-column y is unwrapped" = function(f) {
    expect_same_model(f$quick(X, d["y"]), f$quick(X, d$y), X)
    if (!f$regression) return()
    r <- regression_data()
    expect_same_model(f$quick(r["u"], as.matrix(r$t)), f$quick(r["u"], r$t), r)
  },
  "D07: a matrix without column names is matched by position" = function(f) {
    U <- unname(as.matrix(X))
    m <- f$quick(x = U, y = d$y)
    expect_length(predict(m, U), 40)
    expect_identical(predict(m, X), predict(m, U))
    expect_flexkern_error(predict(m, U[, 1:2]), "2 columns.*fitted with 3")
  },
  "D08: duplicated or blank names are an error at fit" = function(f) {
    D <- as.matrix(X)
    colnames(D) <- c("a", "a", "b")
    expect_flexkern_error(f$quick(D, d$y), "`a`")
    colnames(D) <- c("a", "b", "")
    expect_flexkern_error(f$quick(D, d$y), "column 3")
    twice <- setNames(d, c("y", "a", "a", "c"))
    expect_flexkern_error(f$quick(y ~ ., data = twice), "`a`")
  },
  "D09: a missing value in an unused column does not matter" = function(f) {
    e <- d
    e$c[1] <- NA
    m <- f$quick(y ~ a + b, data = e)
    expect_false(anyNA(predict(m, e)))
  },
  "D01: y ~ . is read without a terms object" = function(f) {
    W <- as.data.frame(matrix(rnorm(30 * 2e4), 30))
    W$y <- factor(rep(1:2, 15))
    by_formula <- system.time(a <- f$quick(y ~ ., data = W))[[3]]
    by_xy <- system.time(b <- f$quick(x = W[-20001], y = W$y))[[3]]
    expect_same_model(a, b, W)
    expect_lt(by_formula, 2 * by_xy + 1)
  },
  "terms can be added, removed, transformed and crossed" = function(f) {
    expect_same_model(f$quick(y ~ . - c, d), f$quick(y ~ a + b, d), d)
    expect_same_model(f$quick(y ~ a + b - 1, d), f$quick(y ~ 0 + a + b, d), d)
    m <- f$quick(y ~ log(c) + a:b + I(a^2), d)
    expect_identical(predict(m, d[3:5, -1]), predict(m, d)[3:5])
    p <- f$quick(y ~ poly(a, 2), d)
    expect_identical(predict(p, d[3:5, ]), predict(p, d)[3:5])
  },
  "a function of a local environment is refused, since predict() would not find it" = function(f) {
    square <- function(v) v^2
    expect_flexkern_error(f$quick(y ~ square(a) + b, d), "`square` of a local environment")
    log <- function(v) v
    expect_flexkern_error(f$quick(y ~ log(c), d), "`log` of a local")
    expect_length(predict(f$quick(y ~ base::log(c) + stats::poly(a, 2), d), d), 40)
    expect_flexkern_error(f$quick(y ~ no_such_function(a), d), "no_such_function")
  },
  "nothing to learn from is refused" = function(f) {
    expect_flexkern_error(f$quick(y ~ ., data = d[0, ]), "at least 2 complete rows, not 0")
    expect_flexkern_error(f$quick(X[0, ], d$y[0]), "at least 2 complete rows, not 0")
    expect_flexkern_error(f$quick(X[1, ], d$y[1]), "at least 2 complete rows, not 1")
    expect_flexkern_error(f$quick(X[0], d$y), "no columns")
    expect_flexkern_error(f$quick(y = d$y), "`x` is missing")
    expect_flexkern_error(f$quick(X), "`y` is missing")
  },
  "ordered factors and logical columns are predictors like others" = function(f) {
    g <- transform(with_group(), o = factor(k, ordered = TRUE), l = k == "r")
    expect_same_model(f$quick(y ~ o + a, g), f$quick(g[c("o", "a")], g$y), g)
    expect_same_model(f$quick(y ~ l + a, g), f$quick(y ~ l + a, transform(g, l = as.numeric(l))), g)
    ordered <- f$quick(g["a"], factor(g$y, ordered = TRUE))
    expect_s3_class(predict(ordered, g), "ordered")
  },
  "matrix columns of a data frame are spread out" = function(f) {
    M <- data.frame(y = d$y)
    M$m <- as.matrix(X)
    expect_identical(predict(f$quick(y ~ m, M), M), predict(f$quick(y ~ ., d), d))
  },
  "the formula works without data and with a subset" = function(f) {
    y <- d$y
    a <- d$a
    expect_identical(as.vector(predict(f$quick(y ~ a), data.frame(a = a))),
                     as.vector(predict(f$quick(y ~ a, d), d)))
    first <- f$quick(y ~ ., data = d, subset = 1:30)
    expect_same_model(first, f$quick(y ~ ., data = d[1:30, ]), d)
    expect_same_model(first, f$quick(y ~ ., data = d, subset = seq_along(a) <= 30), d)
  },
  "D28: an expression may be the response" = function(f) {
    skip_if_not(f$regression)
    r <- regression_data()
    m <- f$quick(exp(t) ~ ., data = r)
    expect_identical(predict(m, r[c("u", "v")]), predict(f$quick(r[c("u", "v")], exp(r$t)), r))
  },
  "D05, D06: the response rule: text and logical are classes, 0/1 is regression" = function(f) {
    m <- f$quick(X, d$y)
    expect_message(text <- f$quick(X, as.character(d$y)), "character.*factor")
    expect_identical(as.character(predict(text, X)), as.character(predict(m, X)))
    expect_message(logic <- f$quick(X, d$y == "high"), "logical.*factor")
    expect_identical(levels(predict(logic, X)), c("FALSE", "TRUE"))
    if (f$regression) {
      expect_message(number <- f$quick(X, as.integer(d$y) - 1L), "factor\\(y\\)")
      expect_type(predict(number, X), "double")
    }
    expect_silent(forced <- f$quick(X, as.integer(d$y) - 1L, type = "classification"))
    expect_identical(levels(predict(forced, X)), c("0", "1"))
  },
  "D20: missing values at fit are named, and can be left out" = function(f) {
    e <- d
    e$b[3] <- e$c[4] <- NA
    expect_flexkern_error(f$quick(y ~ ., data = e), "2 rows.*`b`, `c`.*na.omit")
    expect_flexkern_error(f$quick(e[-1], e$y), "2 rows.*`b`, `c`.*na.omit")
    m <- f$quick(y ~ ., data = e, na.action = na.omit)
    expect_same_model(m, f$quick(y ~ ., data = d[-(3:4), ]), d)
    expect_length(fitted(m), 38)
    padded <- fitted(f$quick(e[-1], e$y, na.action = na.exclude))
    expect_identical(which(is.na(padded)), 3:4)
    y <- d$y
    y[2] <- NA
    expect_flexkern_error(f$quick(X, y), "`y` has 1 missing value")
  },
  "D20: infinite values are named as such" = function(f) {
    e <- X
    e$b[3] <- Inf
    expect_flexkern_error(f$quick(e, d$y), "infinite.*`b`")
    expect_flexkern_error(f$quick(y ~ ., cbind(y = d$y, e)), "infinite.*`b`")
    if (!f$regression) return()
    r <- regression_data()
    expect_flexkern_error(f$quick(r["u"], replace(r$t, 1, -Inf)), "`y`.*infinite")
  },
  "D69: constant columns become 0 with one message, the others are scaled" = function(f) {
    K <- cbind(X, k = 7, big = 1e4 * rnorm(40))
    expect_message(m <- f$quick(K, d$y), "`k`.*constant")
    expect_identical(predict(m, K, type = "decision"),
                     predict(f$quick(K[-4], d$y), K, type = "decision"))
    expect_silent(f$quick(K[-4], d$y))
  },
  "factors lie at distance 1 and are not scaled" = function(f) {
    g <- with_group()
    m <- f$quick(y ~ k + a, data = g)
    by_hand <- data.frame(r = (g$k == "r") / sqrt(2), s = (g$k == "s") / sqrt(2), a = g$a)
    by_hand$a <- 2 * (g$a - min(g$a)) / diff(range(g$a)) - 1
    h <- f$quick(by_hand, g$y, scale = FALSE)
    expect_equal(predict(m, g, type = "decision"), predict(h, by_hand, type = "decision"))
  },
  "scale is matched by name" = function(f) {
    two <- function(scale) f$quick(y ~ a + b, d, scale = scale)
    expect_same_model(two(c(b = FALSE, a = TRUE)), two(c(TRUE, FALSE)), d)
    expect_flexkern_error(two(c(w = FALSE, a = TRUE)), "`a`, `b`.*`w`")
    expect_flexkern_error(two(c(a = TRUE)), "names of `scale`")
  },
  "values are standardized in any unit, but for numbers without all of their digits" = function(f) {
    for (convert in c(as.matrix, if (f$sparse) as_sparse_matrix)) {
      for (unit in c(1e200, 1e-200)) {
        expect_error(f$quick(convert(X * unit), d$y, scale = TRUE), NA)
      }
      expect_flexkern_error(f$quick(convert(X * 1e-310), d$y, scale = TRUE), "change their unit")
    }
  },
  "terms are read from left to right" = function(f) {
    expect_same_model(f$quick(y ~ b - a + a, d), f$quick(y ~ b + a, d), d)
    expect_same_model(f$quick(y ~ . - a + a, d), f$quick(y ~ b + c + a, d), d)
    expect_same_model(f$quick(y ~ c + ., d), f$quick(y ~ c + a + b, d), d)
    expect_same_model(f$quick(y ~ a - a + b - 1, d), f$quick(y ~ b, d), d)
    expect_flexkern_error(f$quick(y ~ a - a, d), "no predictors")
  },
  "an expanded formula takes no column from elsewhere" = function(f) {
    e <- d
    e$M <- as.matrix(X)[, 1:2]
    by_name <- setNames(cbind(e["y"], log(e$c), as.matrix(X)[, 1:2]), c("y", "log", "a", "b"))
    expect_same_model(f$quick(y ~ log(c) + M, e), f$quick(y ~ ., by_name), e, by_name)
    expect_identical(fitted(f$quick(y ~ d$a, e)), fitted(f$quick(y ~ a, d)))
  },
  "a list column is refused, beside a matrix column too" = function(f) {
    e <- X
    e$l <- lapply(1:40, function(i) 1:2)
    expect_flexkern_error(f$quick(e, d$y), "`l` of `x` is a list")
    e$m <- as.matrix(d$a)
    expect_flexkern_error(f$quick(e, d$y), "`l` of `x` is a list")
  },
  "a column of text without a value is missing" = function(f) {
    text <- transform(d, k = NA_character_)
    for (e in list(text, transform(text, k = factor(k)))) {
      expect_flexkern_error(f$quick(y ~ k + a, e), "missing values in 40 rows.*`k`")
      expect_flexkern_error(f$quick(y ~ k * a, e), "missing values in 40 rows.*`k`")
      expect_flexkern_error(f$quick(y ~ k + a, e, na.action = na.omit), "complete rows, not 0")
    }
  },
  "a class may have an empty name" = function(f) {
    y <- factor(d$y, labels = c("", "high"))
    m <- f$small(X, y, probability = f$probability, seed = 1)
    votes <- predict(m, X, type = "votes")
    expect_identical(colnames(votes), c("", "high"))
    expect_identical(votes[, 1] == 1, predict(m, X) == "")
    if (f$probability) expect_equal(rowSums(predict(m, X, type = "prob")), rep(1, 40))
    if (f$class.weights) {
      a <- f$quick(X, y, class.weights = setNames(50, ""))
      b <- f$quick(X, d$y, class.weights = c(low = 50))
      expect_equal(predict(a, X, type = "decision"), predict(b, X, type = "decision"),
                   ignore_attr = TRUE)
    }
  },
  "D66, D68: duplicates and repeated points are legal" = function(f) {
    if (f$regression) {
      x <- rep(seq(0, 1, length.out = 10), 3)
      expect_warning(m <- f$small(x = cbind(x), y = exp(x), type = "regression"), NA)
      expect_equal(predict(m, cbind(x)), exp(x), tolerance = 0.1)
    }
    Z <- as.matrix(X)
    expect_length(predict(f$quick(cbind(Z, z = Z[, 1]), d$y), cbind(Z, z = Z[, 1])), 40)
    skip_if_not(f$constant.x)
    same <- matrix(1, 6, 2)
    expect_message(m <- f$quick(same, factor(rep(1:2, 3))), "constant")
    expect_length(predict(m, same), 6)
  }
))
