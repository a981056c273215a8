# Every error that a user can trigger, with its wording.

d <- two_classes()
X <- d[-1]
fit <- vpsvm(y ~ ., d, gamma = 1, lambda = 0.01)
grouped <- vpsvm(y ~ k + a, with_group(), gamma = 1, lambda = 0.01)
regression <- vpsvm(t ~ u, regression_data(), gamma = 1, lambda = 0.01)
named_twice <- setNames(d, c("y", "a", "a", "c"))
with_date <- transform(d, when = as.Date("2020-01-01") + 1:40)
nothing <- with_na <- with_inf <- d
with_na$b[1:2] <- NA
with_inf$b[3] <- Inf
with_na_level <- transform(d, k = addNA(factor(rep(c("a", NA), 20))))
damaged <- fit
damaged$offset <- c(0L, 10000000L)
cubic <- vpsvm(t ~ u, regression_data(), kernel = "polynomial", gamma = 1, lambda = 0.01)
constant_labels <- vpsvm(cbind(1:20), rep(3, 20))
sparse <- Matrix::Matrix(as.matrix(X), sparse = TRUE)
broken <- twice <- sparse_na <- sparse_inf <- sparse
broken@i[1] <- 100L
twice@i[2] <- twice@i[1]
sparse_na[2:3, "b"] <- NA
sparse_inf[3, "b"] <- Inf
nameless <- sparse[, 1:2]
nameless@Dimnames <- list(NULL, NULL)

hostile <- alist(
  # x, y and data
  vpsvm(X), vpsvm("text", d$y), vpsvm(NULL, d$y), vpsvm(X[0], d$y), vpsvm(X, d$y[1:3]),
  vpsvm(list(1, 2), 1:2), vpsvm(mean, 1:2), vpsvm(X, NULL), vpsvm(X, list(1)), vpsvm(X, X),
  vpsvm(X, with_date$when), vpsvm(X, complex(40)), vpsvm(array(0, c(2, 2, 2)), 1:2),
  vpsvm(matrix("a", 2, 2), 1:2), vpsvm(X, rep(NA, 40)),
  vpsvm(broken, d$y), vpsvm(twice, d$y), vpsvm(sparse_na, d$y), vpsvm(sparse_inf, d$y),
  vpsvm(sparse, d$y[1:3]), vpsvm(sparse, d$y, memory = 100),
  vpsvm(y ~ ., data = sparse),
  vpsvm(y ~ ., with_date), vpsvm(y ~ ., named_twice), vpsvm(y ~ ., with_na),
  vpsvm(y ~ ., with_inf), vpsvm(y ~ ., d, na.action = "drop"), vpsvm(X[1, ], d$y[1]),
  vpsvm(X, factor(rep("a", 40))), vpsvm(X, d$y, type = "regression"),
  vpsvm(X, d$y, type = "ranking"), vpsvm(X, replace(seq_len(40) / 2, 1, Inf)),
  # formula
  vpsvm(~ a, d), vpsvm(y ~ 1, d), vpsvm(y ~ nowhere, d), vpsvm(nowhere ~ a, d),
  vpsvm(y ~ . , NULL), vpsvm(y ~ a + offset(b), d), vpsvm(y ~ a, data = "d"),
  vpsvm(y ~ a, d, subset = "first"), vpsvm(y ~ log(nowhere), d),
  # numbers and words
  vpsvm(X, d$y, folds = 1), vpsvm(X, d$y, folds = 2.5), vpsvm(X, d$y, folds = NA),
  vpsvm(X, d$y, folds = 100), vpsvm(X, d$y, gamma = -1), vpsvm(X, d$y, gamma = NaN),
  vpsvm(X, d$y, gamma = "auto"), vpsvm(X, d$y, lambda = 0), vpsvm(X, d$y, lambda = Inf),
  vpsvm(X, d$y, lambda = numeric()), vpsvm(X, d$y, cost = -1),
  vpsvm(X, d$y, lambda = 1, cost = 1), vpsvm(X, d$y, kernel = "linear", gamma = 1),
  vpsvm(X, d$y, kernel = "sigmoid"), vpsvm(X, d$y, kernel = 3), vpsvm(X, d$y, degree = 0),
  vpsvm(X, d$y, coef0 = NaN), vpsvm(X, d$y, kernel = "polynomial", coef0 = -1),
  vpsvm(X, addNA(replace(d$y, 1:3, NA))), vpsvm(y ~ k, with_na_level),
  vpsvm(X, d$y, radius = 0), vpsvm(X, d$y, radius = 1:2),
  vpsvm(X, d$y, cells = 0), vpsvm(X, d$y, cells = 1000), vpsvm(X, d$y, max.cell = 2),
  vpsvm(X, d$y, overlap = -0.1), vpsvm(X, d$y, overlap = 2), vpsvm(X, d$y, overlap = NA),
  vpsvm(X, d$y, overlap = "half"), vpsvm(X, d$y, overlap = c(0, 1)),
  vpsvm(X, d$y, partition = "grid"), vpsvm(X, d$y, partition = "random", radius = 1),
  vpsvm(X, d$y, partition = "none", cells = 3), vpsvm(X, d$y, loss = "logistic"),
  vpsvm(X, d$y, partition = "none", max.cell = 20), vpsvm(X, d$y, radius = 1, cells = 3),
  vpsvm(X, d$y, radius = 1, max.cell = 20), vpsvm(X, d$y, cells = 3, max.cell = 20),
  vpsvm(X, seq_len(40) / 2, loss = "hinge"),
  vpsvm(X, d$y, final = NULL), vpsvm(X, d$y, search = TRUE), vpsvm(X, d$y, search.rows = 10),
  vpsvm(X, d$y, validation = "loo"), vpsvm(X, d$y, first = 0), vpsvm(X, d$y, first = 3),
  vpsvm(X, d$y, cells = 3, first = 41),
  vpsvm(X, d$y, cells = 3, first = 1, weights = rep(0:1, c(1, 39))),
  vpsvm(X, d$y, refine = NA), vpsvm(X, d$y, clip = 3), vpsvm(X, d$y, probability = "yes"),
  vpsvm(X, d$y, scale = "log"), vpsvm(X, d$y, scale = c(TRUE, FALSE)), vpsvm(X, d$y, scale = NA),
  vpsvm(X, d$y, tol = 0), vpsvm(X, d$y, max.iter = -5), vpsvm(X, d$y, threads = 0),
  vpsvm(X, d$y, threads = "all"), vpsvm(X, d$y, memory = -1), vpsvm(X, d$y, memory = 10),
  vpsvm(X, d$y, device = "tpu"), vpsvm(X, d$y, verbose = 2), vpsvm(X, d$y, seed = -1),
  vpsvm(X, d$y, seed = "a"), vpsvm(X, as.numeric(d$y), probability = TRUE),
  # weights
  vpsvm(X, d$y, weights = "WT"), vpsvm(X, d$y, weights = c(NA, rep(1, 39))),
  vpsvm(X, d$y, weights = c(-1, rep(1, 39))), vpsvm(X, d$y, weights = rep(0, 40)),
  vpsvm(X, d$y, weights = c(1, rep(0, 39))),
  vpsvm(X, d$y, weights = 1), vpsvm(X, d$y, class.weights = 1:2),
  vpsvm(X, d$y, class.weights = c(low = 1, mid = 2)), vpsvm(X, d$y, class.weights = c(low = -1)),
  vpsvm(X, as.numeric(d$y), class.weights = c(low = 1)),
  # unknown arguments
  vpsvm(y ~ ., d, weight = rep(1, 40)), vpsvm(y ~ ., data = d, y = 3),
  vpsvm(X, d$y, gama = 1), vpsvm(y ~ ., d, cross = 10), vpsvm(X, d$y, qwertyuiop = 1),
  predict(fit, d, decision.values = TRUE), predict(fit, d, thread = 1, novl = "na"),
  # predict
  predict(fit, NULL), predict(fit, "text"), predict(fit, d["a"]), predict(fit, 1:2),
  predict(fit, matrix(0, 2, 2)), predict(fit, with_inf), predict(fit, sparse[, 1:2]),
  predict(fit, sparse_inf), predict(grouped, nameless), predict(fit, broken),
  predict(fit, with_na, na.action = na.fail), predict(fit, d, type = "prob"),
  predict(fit, d, type = "class"), predict(fit, type = "decision"),
  predict(grouped, transform(d[1:2, ], k = "zz")), predict(grouped, transform(d[1:2, ], k = 1)),
  predict(grouped, data.frame(k = "r", a = "x")), predict(regression, 1:3, type = "prob"),
  predict(regression, 1:3, type = "votes"), predict(fit, d, novel = "guess"),
  predict(fit, d, threads = -1),
  # the rest
  predict(damaged, d), predict(cubic, data.frame(u = 1e200)), plot(constant_labels, "cv"),
  plot(fit, "cv"), plot(fit, "fit"), plot(fit, "tree"), formula(vpsvm(X, d$y, gamma = 1, cost = 1)),
  vp_artificial("VI", 10), vp_artificial("I"), vp_artificial("I", -3), vp_artificial("I", 10, "a")
)

test_that("hostile calls are errors of ours, in these words", {
  expect_refusals(hostile)
})

test_that("an error carries its class and its argument", {
  error <- tryCatch(vpsvm(X, d$y, folds = 0), error = identity)
  expect_s3_class(error, c("flexkern_error", "error"))
  expect_identical(error$arg, "folds")
})

test_that("warnings and messages say what happened", {
  grouped_new <- transform(d[1:2, ], k = c("r", "zz"))
  rare <- transform(d, y = factor(c("rare", as.character(y)[-1])))
  expect_snapshot({
    m <- vpsvm(X, as.character(d$y), gamma = 1, lambda = 0.01)
    m <- vpsvm(X, as.integer(d$y) - 1L, gamma = 1, lambda = 0.01)
    m <- vpsvm(cbind(X, k = 1), d$y, gamma = 1, lambda = 0.01)
    m <- vpsvm(y ~ ., rare, gamma = 1:2, lambda = 0.01, seed = 1)
    m <- vpsvm(Species ~ ., iris, gamma = 1:2, lambda = 0.01, validation = "split")
    m <- vpsvm(Species ~ ., iris[c(1:10, 51:150), ], gamma = 1, lambda = 1, validation = "split",
               folds = 5)
    m <- vpsvm(cbind(c(1:9, 101:109)), 1:18, cells = 2, validation = "split.cells")
    m <- vpsvm(cbind(c(1:12, 101:106)), 1:18, cells = 2, validation = "split")
    p <- predict(grouped, grouped_new, novel = "na")
  })
})
