# update(), formula() and model.frame() look variables up where they are called from; the model
# itself keeps no frame.

d <- two_classes()

fit_by <- function(f, formula, ..., env = parent.frame()) {
  fit <- f$fit
  options <- utils::modifyList(f$options, list(seed = 1))
  eval(as.call(c(quote(fit), formula, ..., options)), list(fit = fit), env)
}

for_each_fitter(list(
  "variables of a function are found, whatever their names" = function(f) {
    within_function <- function() {
      t <- factor(rep(c("p", "q"), 20))
      v <- as.numeric(t) + seq(0, 1, length.out = 40)
      x <- v^2
      m <- fit_by(f, quote(t ~ v))
      object <- formula <- call <- data <- "hidden"
      expect_identical(stats::formula(m), t ~ v)
      expect_identical(stats::as.formula(m), t ~ v)
      expect_identical(predict(update(m, . ~ .), data.frame(v)), predict(m, data.frame(v)))
      more <- update(m, . ~ . + x)
      expect_identical(more$blueprint$columns, c("v", "x"))
      expect_equal(model.frame(stats::formula(more)), model.frame(t ~ v + x))
      expect_equal(model.frame(more), model.frame(t ~ v + x))
      expect_equal(model.frame(m, subset = v > 1.5), model.frame(t ~ v, subset = v > 1.5))
      by_list <- lapply(list(m, m), update, . ~ . + x)
      expect_identical(predict(by_list[[2]], data.frame(v, x)), fitted(more))
      expect_identical(lapply(list(m), stats::formula), list(t ~ v))
      expect_equal(stats::get_all_vars(m), data.frame(t, v))
    }
    within_function()
  },
  "the formula is the model's, whatever became of the variable that held it" = function(f) {
    local({
      e <- d
      form <- y ~ .
      m <- fit_by(f, quote(form), data = quote(e))
      form <- "changed"
      expect_identical(predict(do.call(update, c(list(m), f$options[1])), e), predict(m, e))
      expect_identical(stats::formula(update(m, . ~ . - c)), y ~ a + b)
      expect_equal(model.frame(m), model.frame(y ~ a + b + c, e))
    })
  },
  "subset, weights and options are those of the call, or new ones" = function(f) {
    local({
      e <- d
      w <- rep(1:2, 20)
      m <- fit_by(f, quote(y ~ log(c) + a), data = quote(e), weights = quote(w),
                  subset = quote(a > 0))
      expect_identical(predict(update(m, evaluate = TRUE), e), predict(m, e))
      expect_equal(model.frame(m), model.frame(y ~ log(c) + a, e, weights = w, subset = a > 0))
      all <- update(m, subset = NULL, weights = NULL)
      expect_identical(predict(all, e), predict(fit_by(f, quote(y ~ log(c) + a), quote(e)), e))
      call <- update(m, . ~ . - a, verbose = FALSE, evaluate = FALSE)
      expect_identical(call$formula, quote(y ~ log(c)))
      expect_identical(as.list(call)[c("seed", "verbose")], list(seed = 1, verbose = FALSE))
    })
  },
  "a model that leaves its function carries no frame" = function(f) {
    away <- function() {
      ballast <- runif(1e5)
      e <- d
      m <- fit_by(f, quote(y ~ log(c) + a), data = quote(e))
      update(m, . ~ . + b)
    }
    expect_lt(length(serialize(away(), NULL)), 50000)
  },
  "update() works where the package is not attached" = function(f) {
    name <- class(f$quick(y ~ a, d))[1]
    m <- do.call(getExportedValue("flexkern", name), c(list(quote(y ~ a)), f$options,
                                                       data = quote(d)))
    bare <- new.env(parent = baseenv())
    bare$m <- m
    bare$d <- d
    expect_s3_class(eval(quote(stats::update(m, . ~ . + b)), bare), name)
  }
))

test_that("names that other objects have too", {
  t <- runif(40)
  v <- runif(40)
  again <- update(vpsvm(t ~ v, gamma = 1, lambda = 0.1), . ~ .)
  expect_identical(again$n, 40L)
  resp <- runif(30)
  x <- runif(30)
  expect_identical(model.frame(formula(kbp(resp ~ x, seed = 1)))$x, x)
})

test_that("what was given by value has to be given again", {
  m <- do.call(vpsvm, list(Species ~ ., iris, gamma = 1, lambda = 0.1))
  expect_refusals(alist(model.frame(m), update(m), model.frame(vpsvm(d[-1], d$y, seed = 1)),
                        update(vpsvm(d[-1], d$y, seed = 1), . ~ a),
                        update(structure(list(version = "0.1.0"), class = "vpsvm")),
                        formula(m, wrong = 1)))
  expect_identical(dim(model.frame(m, data = iris)), c(150L, 5L))
})
