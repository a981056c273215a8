# The contract in short for mhks(), kmhks() and svm2k(), which share rmekl()'s methods.

d <- two_classes()
X <- d[-1]

family <- list(
  mhks = list(fit = mhks, quick = function(...) mhks(..., c = 0.5),
              small = function(...) mhks(..., c = c(0.1, 1))),
  kmhks = list(fit = kmhks, quick = function(...) kmhks(..., c = 0.5),
               small = function(...) kmhks(..., c = c(0.1, 1))),
  svm2k = list(fit = svm2k, quick = function(...) svm2k(..., cost = 1, D = 0.5),
               small = function(...) svm2k(..., cost = c(0.1, 1), D = 0.5))
)

for (name in names(family)) local({
  f <- family[[name]]
  base <- switch(name, svm2k = list(cost = 1, D = 0.5), list(c = 0.5))
  about <- function(what) paste0(name, ": ", what)

  test_that(about("formula and x/y give the same, columns match by name"), {
    a <- f$quick(y ~ ., d)
    b <- f$quick(X, d$y)
    expect_identical(predict(a, d, type = "decision"), predict(b, as.matrix(X), type = "decision"))
    expect_identical(predict(a, d[4:1]), predict(a, d))
    expect_identical(a$call[[1]], as.name(name))
    expect_s3_class(a, c(name, "rmekl"), exact = TRUE)
    expect_identical(fitted(a), predict(a, d))
    expect_lt(mean(residuals(a)), 0.2)
    fit <- f$fit
    b <- eval(as.call(c(quote(fit), quote(y ~ .), data = quote(d), base)))
    expect_identical(predict(update(b, . ~ . - c), d), predict(f$quick(y ~ a + b, d), d))
  })

  test_that(about("missing rows, no rows, factors and three classes"), {
    m <- f$small(y ~ ., d, probability = TRUE, seed = 1)
    e <- transform(d[1:3, ], b = c(1, NA, 2))
    expect_identical(is.na(predict(m, e)), c(FALSE, TRUE, FALSE))
    expect_identical(nrow(predict(m, d[0, ], type = "prob")), 0L)
    expect_equal(rowSums(predict(m, d, type = "prob")), rep(1, 40))
    expect_length(predict(f$quick(y ~ k + a, with_group()), with_group()), 40)
    three <- f$quick(Species ~ ., iris)
    expect_lt(mean(predict(three, iris) != iris$Species), 0.1)
    expect_identical(dim(predict(three, iris, type = "pairs")), c(150L, 3L))
    expect_lt(mean(predict(f$quick(Species ~ ., iris, multiclass = "ovr"), iris) != iris$Species),
              0.25)
  })

  test_that(about("weights, seeds, threads, stored models"), {
    w <- rep(c(1, 0, 2), length.out = 40)
    all <- f$quick(X, d$y, weights = w)
    left <- f$quick(X[w > 0, ], d$y[w > 0], weights = w[w > 0])
    expect_identical(predict(all, X, type = "decision"), predict(left, X, type = "decision"))
    expect_identical(all$index, which(w > 0)[left$index])
    set.seed(1)
    f$quick(X, d$y)
    first <- runif(1)
    set.seed(1)
    expect_identical(runif(1), first)
    one <- f$small(X, d$y, seed = 1, threads = 1)
    two <- f$small(X, d$y, seed = 1, threads = 2)
    expect_identical(predict(one, X, type = "decision"), predict(two, X, type = "decision"))
    heavy <- f$quick(X, d$y, class.weights = c(high = 50))
    expect_gte(sum(predict(heavy, X) == "high"), sum(predict(f$quick(X, d$y), X) == "high"))
    again <- unserialize(serialize(one, NULL))
    expect_identical(predict(again, X, type = "decision"), predict(one, X, type = "decision"))
    again$coef[[1]] <- again$coef[[1]][-1, , drop = FALSE]
    expect_flexkern_error(predict(again, X), "do not fit together")
  })

  test_that(about("printed and summarised, nothing else is shown"), {
    expect_silent(m <- f$small(y ~ ., d, seed = 1))
    expect_output(print(m), "Validated error")
    expect_output(print(summary(m)), "Training error")
    for (generic in list(print, summary, fitted, residuals, nobs, coef)) {
      expect_flexkern_error(generic(m, wrong = 1), "no argument `wrong`")
    }
    expect_flexkern_error(f$quick(X, d$y, kernell = 1), "no argument `kernell`")
    expect_flexkern_error(f$quick(X, d$a), "needs classes")
  })

  test_that(about("D65: malformed fits are refused in our words or give a valid model"), {
    count <- if (identical(Sys.getenv("NOT_CRAN"), "true")) 200 else 50
    base <- c(base, list(folds = 2, type = "classification"))
    said <- vapply(seq_len(count), function(seed) {
      outcome_of_call(f$fit, random_call(name, base, seed))
    }, "")
    expect_no_stray(said)
  })
})
