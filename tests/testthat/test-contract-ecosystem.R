# Importance, and what other packages' tools ask of a fitter.

d <- two_classes()
X <- d[-1]

with_importance <- function(cases) for_each_fitter(lapply(cases, function(case) {
  function(f) {
    skip_if_not(f$importance)
    case(f)
  }
}))

with_importance(list(
  "D82: importance finds the column that matters" = function(f) {
    imp <- importance(f$quick(y ~ ., d), d, seed = 1)
    expect_named(imp, c("a", "b", "c"))
    expect_identical(names(which.max(imp)), "a")
    expect_gt(imp[["a"]], 0.2)
    if (!f$regression) return()
    r <- regression_data()
    imp <- importance(f$quick(exp(t) ~ ., r), r, seed = 1)
    expect_identical(names(which.max(imp)), "u")
    expect_lt(abs(imp[["v"]]), imp[["u"]] / 5)
  },
  "importance is the mean increase of the error over shuffles" = function(f) {
    skip_if_not(f$regression)
    r <- regression_data()
    m <- f$quick(r[c("u", "v")], r$t)
    loss <- function(data) {
      mean(ref_loss(or(m$loss, ""), r$t, predict(m, data), or(m$tau, 0.5), or(m$epsilon, 0)))
    }
    set.seed(7)
    by_hand <- vapply(c("u", "v"), function(column) {
      mean(replicate(3, {
        shuffled <- r
        shuffled[[column]] <- sample(r[[column]])
        loss(shuffled)
      }))
    }, 0) - loss(r)
    expect_equal(importance(m, r, r$t, nperm = 3, seed = 7), by_hand)
  },
  "importance: formula and x/y, data frame and matrix, give the same" = function(f) {
    by_formula <- importance(f$quick(y ~ ., d), d, seed = 1)
    m <- f$quick(X, d$y)
    expect_identical(importance(m, X, d$y, seed = 1), by_formula)
    expect_identical(importance(m, as.matrix(X), d$y, seed = 1), by_formula)
    expect_identical(importance(m, d[4:1], as.character(d$y), seed = 1), by_formula)
    U <- unname(as.matrix(X))
    expect_named(importance(f$quick(U, d$y), U, d$y), c("V1", "V2", "V3"))
  },
  "importance: a factor is one column, and terms count as their variables" = function(f) {
    g <- with_group()
    m <- f$quick(y ~ log(c) + k + I(a^2) + a, g)
    expect_setequal(names(importance(m, g, seed = 1)), c("a", "c", "k"))
    expect_length(importance(f$quick(y ~ k + a, g), g), 2)
  },
  "importance takes the response from newdata alone" = function(f) {
    m <- f$quick(y ~ a, d)
    y <- d$y
    assign("y", y, globalenv())
    on.exit(rm("y", envir = globalenv()))
    expect_flexkern_error(importance(m, d["a"]), "`newdata` lacks `y`")
    expect_identical(importance(m, d["a"], y, seed = 1), importance(m, d, seed = 1))
  },
  "importance takes the kinds of response that the fit takes" = function(f) {
    skip_if_not(f$regression)
    m <- f$quick(X, d$y == "high", type = "regression")
    expect_identical(importance(m, X, d$y == "high", seed = 1),
                     importance(m, X, as.numeric(d$y == "high"), seed = 1))
  },
  "importance follows the seed and draws one number without it" = function(f) {
    m <- f$quick(y ~ ., d)
    expect_identical(importance(m, d, seed = 1), importance(m, d, seed = 1))
    set.seed(3)
    a <- importance(m, d)
    after <- runif(1)
    set.seed(3)
    expect_identical(importance(m, d), a)
    set.seed(3)
    runif(1)
    expect_identical(runif(1), after)
  },
  "importance leaves incomplete rows out" = function(f) {
    e <- d
    e$b[1] <- NA
    m <- f$quick(y ~ ., d)
    expect_identical(importance(m, e, seed = 1), importance(m, d[-1, ], seed = 1))
    expect_flexkern_error(importance(m, e[1, ]), "at least 2 complete rows, not 0")
  },
  "the generics of other packages find our method, and ours finds theirs" = function(f) {
    m <- f$quick(y ~ ., d)
    imp <- importance(m, d, seed = 1)
    for (package in c("randomForest", "ranger")) {
      theirs <- from_package(package, "importance")
      expect_identical(theirs(m, d, seed = 1), imp)
    }
    forest <- from_package("randomForest", "randomForest")(y ~ ., d)
    expect_identical(importance(forest), from_package("randomForest", "importance")(forest))
  }
))

for_each_fitter(list(
  "e1071's tune() takes the fitter, by formula and by x and y" = function(f) {
    tune <- from_package("e1071", "tune")
    control <- from_package("e1071", "tune.control")(cross = 3)
    set.seed(1)
    a <- tune(f$quick, y ~ ., data = d, tunecontrol = control)
    expect_lt(a$best.performance, 0.3)
    b <- tune(f$fit, X, d$y, ranges = f$ranges, tunecontrol = control)
    expect_lt(b$best.performance, 0.3)
    expect_identical(nrow(b$performances), 2L)
    expect_length(predict(b$best.model, X), 40)
  },
  "D81: caret's train() takes the fitter: classes, probabilities, tuning" = function(f) {
    skip_if(is.null(f$caret))
    train <- from_package("caret", "train")
    control <- from_package("caret", "trainControl")("cv", number = 3, classProbs = TRUE)
    set.seed(1)
    tuned <- train(y ~ ., data = d, method = caret_method(f$caret), trControl = control,
                   tuneGrid = expand.grid(gamma = c(0.1, 1), lambda = 0.01))
    expect_gt(max(tuned$results$Accuracy), 0.7)
    expect_identical(dim(predict(tuned, d, type = "prob")), c(40L, 2L))
    expect_identical(levels(predict(tuned, d[1, ])), levels(d$y))
    itself <- expect_warning(train(X, d$y, method = caret_method(f$caret), trControl = control,
                                   tuneLength = 1, weights = rep(1:2, 20)), NA)
    expect_gt(itself$results$Accuracy, 0.7)
    expect_gt(length(itself$finalModel$grid[[1]]$gamma), 1)
    expect_identical(from_package("caret", "predictors")(itself), names(X))
  },
  "D81: caret's train() takes the fitter: regression, grid and random search" = function(f) {
    skip_if(is.null(f$caret))
    r <- regression_data()
    train <- from_package("caret", "train")
    for (search in c("grid", "random")) {
      control <- from_package("caret", "trainControl")("cv", number = 3, search = search)
      set.seed(1)
      tuned <- train(r[c("u", "v")], r$t, method = caret_method(f$caret), trControl = control,
                     tuneLength = 3)
      expect_identical(nrow(tuned$results), if (search == "grid") 9L else 3L)
      expect_lt(min(tuned$results$RMSE), sd(r$t))
    }
  },
  "D83: partial dependence on a probability is an average of numbers" = function(f) {
    skip_if_not(f$probability)
    m <- f$small(y ~ ., d, probability = TRUE, seed = 1)
    dependence <- vapply(c(-1, 4), function(value) {
      mean(predict(m, transform(d, a = value), type = "prob")[, "high"])
    }, 0)
    expect_gt(dependence[2], dependence[1] + 0.3)
  }
))

test_that("a fitter that caret does not know is an error", {
  expect_flexkern_error(caret_method("svm"), "`method`")
})
