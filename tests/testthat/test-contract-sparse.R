# The contract of sparse input: a dgCMatrix gives what the same numbers in a matrix give, and is
# never made dense.

# Mostly zeros; the fourth column is constant, the fifth has no entry at all.
sparse_case <- function(n = 120, p = 30, seed = 1) {
  set.seed(seed)
  x <- matrix(stats::rbinom(n * p, 1, 0.2) * round(stats::rnorm(n * p), 3), n,
              dimnames = list(NULL, paste0("c", seq_len(p))))
  x[, 4] <- 2
  x[, 5] <- 0
  score <- x[, 1] + x[, 2] - x[, 3] + abs(x[, 6]) + 0.1 * stats::rnorm(n)
  list(dense = x, sparse = Matrix::Matrix(x, sparse = TRUE), number = score,
       class = factor(ifelse(score > 0.1, "high", "low")))
}

train <- sparse_case()
new <- sparse_case(60, seed = 2)
quiet <- suppressMessages

decision <- function(m, x) predict(m, x, type = "decision")

expect_close <- function(a, b, tolerance = 1e-6) expect_lt(max(abs(a - b)), tolerance)

# Four pairs of fit and rows, sparse or dense, and their largest difference.
expect_same_predictions <- function(dense, sparse, x, s, tolerance = 1e-6) {
  truth <- decision(dense, x)
  expect_close(decision(sparse, s), truth, tolerance)
  expect_close(decision(sparse, x), truth, tolerance)
  expect_identical(decision(dense, s), truth)
}

taking_sparse <- function(cases) for_each_fitter(lapply(cases, function(case) {
  function(f) {
    skip_if_not(f$sparse)
    case(f)
  }
}))

taking_sparse(list(
  "D63: a sparse fit is the fit of the same numbers" = function(f) {
    for (response in c("class", "number")) for (scale in c("range", "standardize", "none")) {
      dense <- quiet(f$small(train$dense, train[[response]], scale = scale, seed = 3))
      sparse <- quiet(f$small(train$sparse, train[[response]], scale = scale, seed = 3))
      expect_same_predictions(dense, sparse, new$dense, new$sparse)
      expect_equal(fitted(sparse), fitted(dense), tolerance = 1e-6)
    }
  },
  "the messages are the same" = function(f) {
    expect_message(quiet(f$quick(train$sparse, train$class)), NA)
    expect_message(f$quick(train$sparse, train$class), "Columns `c4`, `c5` are constant")
  },
  "every sparse class is taken, and Matrix's dense ones" = function(f) {
    m <- quiet(f$quick(train$sparse, train$class))
    truth <- decision(m, new$sparse)
    for (class in c("TsparseMatrix", "RsparseMatrix", "unpackedMatrix")) {
      other <- methods::as(new$sparse, class)
      expect_equal(decision(m, other), truth)
    }
    square <- new$dense[1:30, ]
    for (class in c("symmetricMatrix", "triangularMatrix")) {
      special <- methods::as(Matrix::Matrix(if (class == "symmetricMatrix") square + t(square) else
        square * upper.tri(square), sparse = TRUE), class)
      expect_s4_class(special, class)
      special@Dimnames <- list(NULL, NULL)
      expect_equal(decision(m, special), decision(m, as.matrix(special)))
    }
    expect_equal(decision(m, Matrix::Diagonal(30)), decision(m, diag(30)))
    pattern <- methods::as(new$sparse != 0, "nMatrix")
    expect_equal(decision(m, pattern), decision(m, (new$dense != 0) + 0))
    expect_equal(decision(m, methods::as(30:1, "pMatrix")), decision(m, diag(30)[, 30:1]))
  },
  "columns match by name, extra ones are dropped, a missing one is named" = function(f) {
    m <- quiet(f$quick(train$sparse, train$class))
    truth <- decision(m, new$sparse)
    expect_identical(decision(m, new$sparse[, 30:1]), truth)
    expect_identical(decision(m, cbind(extra = 1, new$sparse)[, c(1, 31:2)]), truth)
    expect_equal(decision(m, as.data.frame(new$dense)), truth)
    nameless <- new$sparse
    nameless@Dimnames <- list(NULL, NULL)
    expect_identical(decision(m, nameless), truth)
    expect_flexkern_error(predict(m, new$sparse[, -7]), "lacks the column `c7`")
    expect_flexkern_error(predict(m, nameless[, -7]), "has 29 columns")
    twice <- new$sparse
    colnames(twice)[2] <- "c1"
    expect_flexkern_error(f$quick(twice, new$class), "more than one column named `c1`")
    expect_flexkern_error(predict(m, cbind(new$sparse, c1 = 1)), "more than one column named `c1`")
  },
  "missing and infinite entries are found and named" = function(f) {
    holes <- train$sparse
    holes[c(2, 9), "c3"] <- NA
    expect_flexkern_error(f$quick(holes, train$class), "2 rows \\(column `c3`\\)")
    m <- quiet(f$quick(holes, train$class, na.action = na.omit))
    clean <- quiet(f$quick(train$sparse[-c(2, 9), ], train$class[-c(2, 9)]))
    expect_same_model(m, clean, new$sparse)
    p <- predict(m, holes)
    expect_identical(which(is.na(p)), c(2L, 9L))
    expect_length(predict(m, holes, na.action = na.omit), 118)
    expect_length(fitted(quiet(f$quick(holes, train$class, na.action = na.exclude))), 120)
    holes[5, "c8"] <- -Inf
    expect_flexkern_error(f$quick(holes, train$class, na.action = na.omit), "column `c8`")
    expect_flexkern_error(predict(m, holes), "`newdata` has infinite values .* column `c8`")
  },
  "stored zeros change nothing" = function(f) {
    zeros <- train$sparse
    zeros@x[zeros@x > 1] <- 0
    plain <- Matrix::drop0(zeros)
    expect_gt(length(zeros@x), length(plain@x))
    a <- quiet(f$quick(zeros, train$class))
    b <- quiet(f$quick(plain, train$class))
    expect_same_model(a, b, zeros, plain)
    expect_identical(a$sv, b$sv)
  },
  "zero rows, one row, rows and columns without entries" = function(f) {
    m <- quiet(f$small(train$sparse, train$class, seed = 1))
    expect_length(predict(m, new$sparse[0, ]), 0)
    expect_identical(dim(decision(m, new$sparse[0, ])), c(0L, 1L))
    expect_identical(decision(m, new$sparse[5, , drop = FALSE]),
                     decision(m, new$sparse)[5, , drop = FALSE])
    expect_equal(decision(m, new$dense[5, ]), decision(m, new$sparse)[5, , drop = FALSE])
    nothing <- Matrix::sparseMatrix(integer(), integer(), x = numeric(), dims = c(3, 30))
    expect_equal(decision(m, nothing), decision(m, matrix(0, 3, 30)))
    expect_flexkern_error(f$quick(train$sparse[0, ], train$class[0]), "at least 2")
    expect_flexkern_error(f$quick(train$sparse[, 0], train$class), "no columns")
    quiet(n <- f$quick(nothing, c(1, 2, 3)))
    expect_equal(predict(n, nothing), fitted(n))
  },
  "weights and rows of weight 0" = function(f) {
    w <- rep(c(0, 1, 2), 40)
    dense <- quiet(f$small(train$dense, train$class, weights = w, seed = 1))
    sparse <- quiet(f$small(train$sparse, train$class, weights = w, seed = 1))
    expect_same_predictions(dense, sparse, new$dense, new$sparse)
  },
  "a formula needs a data frame, factors too" = function(f) {
    expect_flexkern_error(f$quick(y ~ ., data = train$sparse), "needs a data frame")
    m <- f$quick(y ~ ., data = with_group())
    expect_flexkern_error(predict(m, Matrix::Matrix(1, 1, 4, sparse = TRUE)), "give a data frame")
    numeric_only <- f$quick(y ~ a + b, data = two_classes())
    x <- as.matrix(two_classes()[c("a", "b")])
    expect_identical(predict(numeric_only, Matrix::Matrix(x, sparse = TRUE)),
                     predict(numeric_only, x))
  },
  "a saved model predicts the same in another process" = function(f) {
    m <- quiet(f$quick(train$sparse, train$class))
    expect_s4_class(m$sv, "dgCMatrix")
    again <- in_child(
      predict(model, rows, type = "decision"), list(model = m, rows = new$sparse)
    )
    expect_identical(again, decision(m, new$sparse))
  },
  "a damaged sparse model is refused" = function(f) {
    m <- quiet(f$quick(train$sparse, train$class))
    for (slot in c("i", "p", "x")) {
      bad <- m
      attr(bad$sv, slot) <- attr(bad$sv, slot)[-1]
      expect_flexkern_error(predict(bad, new$sparse), "do not fit together")
    }
    bad <- m
    bad$sv@i[3] <- 120L
    expect_flexkern_error(predict(bad, new$sparse), "do not fit together")
  },
  "threads change nothing" = function(f) {
    one <- quiet(f$small(train$sparse, train$class, seed = 1, threads = 1))
    two <- quiet(f$small(train$sparse, train$class, seed = 1, threads = 2))
    expect_identical(one$coef, two$coef)
    expect_identical(predict(one, new$sparse, threads = 1), predict(two, new$sparse, threads = 2))
  },
  "the model's size follows the entries" = function(f) {
    set.seed(1)
    wide <- Matrix::rsparsematrix(300, 20000, 0.001)
    m <- f$quick(wide, rnorm(300), scale = FALSE)
    expect_lt(as.numeric(utils::object.size(m)), 6e6)  # rows times columns would be 48 MB
  },
  "D63: memory never grows to rows times columns" = function(f) {
    skip_without_proc()
    taken <- in_child({
      options(flexkern.verbose = FALSE)
      set.seed(1)
      x <- Matrix::rsparsematrix(2000, 50000, 0.001)
      y <- as.vector(x[, 1:50] %*% rnorm(50)) + rnorm(2000)
      fit <- under_contract[[name]]$quick
      suppressMessages(fit(x[1:100, ], y[1:100]))
      peak_bytes({
        m <- suppressMessages(fit(x, y))
        p <- predict(m, x)
      })
    }, list(name = names(under_contract)[vapply(under_contract, identical, NA, f)]))
    expect_lt(taken, 4e8)  # rows times columns would be 800 MB
  }
))

test_that("every kernel, scale and partition gives what the dense matrix gives", {
  partitions <- list(list(partition = "none"), list(cells = 4), list(max.cell = 40),
                     list(partition = "random", cells = 3), list(cells = 4, overlap = 0.3))
  for (kernel in c("radial", "polynomial", "linear")) for (scale in c("range", "TRUE", "none")) {
    for (partition in partitions) {
      arguments <- c(list(y = train$class, kernel = kernel, seed = 5,
                          scale = if (scale == "TRUE") TRUE else scale), partition,
                     if (kernel == "polynomial") list(coef0 = 1))
      dense <- quiet(do.call(vpsvm, c(list(train$dense), arguments)))
      sparse <- quiet(do.call(vpsvm, c(list(train$sparse), arguments)))
      expect_identical(sparse$cell, dense$cell)
      expect_equal(sparse$gamma, dense$gamma)
      expect_identical(sparse$lambda, dense$lambda)
      expect_same_predictions(dense, sparse, new$dense, new$sparse)
    }
  }
})

test_that("a sparse fit agrees with naive kernel ridge regression on the shifted points", {
  for (kernel in c("radial", "polynomial", "linear")) {
    own <- list(gamma = if (kernel != "linear") 0.1)
    if (kernel == "polynomial") own$coef0 <- 1
    m <- quiet(do.call(vpsvm, c(list(train$sparse, train$number, kernel = kernel, lambda = 1e-2,
                                     offset = "none", clip = FALSE), own)))
    ends <- apply(train$dense, 2, range)
    half <- (ends[2, ] - ends[1, ]) / 2
    scaled <- function(x) sweep(sweep(x, 2, colMeans(ends)), 2, ifelse(half > 0, half, Inf), "/")
    a <- scaled(train$dense)
    y <- (train$number - mean(range(train$number))) / diff(range(train$number)) * 2
    k <- function(u) ref_kernel(u, a, kernel, 0.1, 3, 1)
    f <- k(scaled(new$dense)) %*% ref_solve(k(a), y, rep(1, 120), 1e-2)
    truth <- f[, 1] * diff(range(train$number)) / 2 + mean(range(train$number))
    expect_equal(predict(m, new$sparse), truth, tolerance = 1e-5)
  }
})

test_that("blocks of a small budget change no prediction", {
  set.seed(1)
  many <- Matrix::rsparsematrix(3000, 30, 0.2)
  for (x in train[c("dense", "sparse")]) {
    m <- quiet(vpsvm(x, train$class, gamma = 1, lambda = 1e-2))
    expect_identical(predict(m, many, type = "decision", memory = 5e5),
                     predict(m, many, type = "decision"))
  }
  # Dense rows for a dense model are never more than a block of the sparse ones.
  m <- quiet(vpsvm(train$dense, train$class, gamma = 1, lambda = 1e-2))
  expect_identical(block_rows(m, many, 1e12, 0, ""), 256)
})

test_that("probabilities, votes and importance work on sparse rows", {
  m <- quiet(vpsvm(train$sparse, train$class, gamma = 0.3, lambda = 1e-2, partition = "random",
                   cells = 2, probability = TRUE, seed = 1))
  expect_equal(rowSums(predict(m, new$sparse, type = "prob")), rep(1, 60))
  expect_equal(rowSums(predict(m, new$sparse, type = "votes")), rep(1, 60))
  worth <- importance(m, new$sparse, new$class, nperm = 2, seed = 1)
  expect_equal(worth, importance(m, new$dense, new$class, nperm = 2, seed = 1))
  expect_identical(names(worth), colnames(new$dense))
})

test_that("plots of models with few sparse columns are drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  two <- quiet(vpsvm(train$sparse[, 1:2], train$class, cells = 3, gamma = 1, lambda = 0.1,
                     kernel = "polynomial"))
  expect_invisible(plot(two, "cells"))
  expect_equal(undo_scaling(two$sv, two$scaling), unname(train$dense[two$index, 1:2]))
  one <- quiet(vpsvm(train$sparse[, 1, drop = FALSE], train$number, gamma = 1, lambda = 0.1))
  expect_invisible(plot(one, "fit"))
})

test_that("helpers of sparse designs do what their dense twins do", {
  x <- train$dense
  x[3, 2] <- NA
  x[7, 1] <- Inf
  s <- as_sparse(x)
  expect_identical(as.matrix(s), x)
  expect_false(any(s@x == 0, na.rm = TRUE))
  expect_identical(faults(s, is.na), lapply(faults(x, is.na), unname))
  expect_identical(which(missing_rows(s)), 3L)
  expect_equal(squared_norms(train$sparse), squared_norms(train$dense))
  expect_true(is_sound_sparse(train$sparse))
  expect_identical(as_sparse(s), s)
  blueprint <- list(source = 1:30, indicator = logical(30), names = colnames(x))
  for (method in c("range", "standardize")) {
    learn <- function(x) quiet(learn_scaling(x, blueprint, method))
    expect_equal(learn(train$sparse), learn(train$dense))
  }
})
