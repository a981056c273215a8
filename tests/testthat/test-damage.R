# A damaged model is answered or refused in our words; it does not end the process.

d <- two_classes(20)
few <- d[1:18, ]
three <- iris[c(1:7, 51:57, 101:107), ]
numbers <- regression_data(18)
wave <- function(a, b) exp(-abs(outer(a[, 1], b[, 1], "-")))
environment(wave) <- globalenv()
with_gap <- transform(three, Sepal.Width = replace(Sepal.Width, 3, NA))
tinted <- transform(numbers, k = factor(rep(c("r", "s", "t"), 6)))

quietly <- function(code) suppressWarnings(suppressMessages(code))

whole_models <- function() quietly(list(
  classes = list(vpsvm(Species ~ ., with_gap, gamma = c(0.3, 1), lambda = c(0.1, 0.01), folds = 3,
                       probability = TRUE, na.action = na.exclude, seed = 1), three, NULL),
  two = list(vpsvm(y ~ a + b, d, loss = "hinge", gamma = 1, lambda = 0.1, folds = 3,
                   probability = TRUE, weights = c(0, rep(1:2, 9), 1), seed = 1), d, NULL),
  pairs = list(vpsvm(Species ~ ., three, multiclass = "ovo", gamma = 1, lambda = 0.1, folds = 3,
                     probability = TRUE, seed = 1), three, NULL),
  curve = list(vpsvm(t ~ u, numbers, folds = 3, gamma = 1, lambda = c(0.1, 0.01), seed = 1),
               numbers, NULL),
  levels = list(vpsvm(t ~ u, numbers, loss = "pinball", tau = c(0.2, 0.5, 0.8), gamma = 1,
                      lambda = c(0.1, 0.01), folds = 3, seed = 1), numbers, NULL),
  costs = list(vpsvm(y ~ a + b, d, loss = "hinge", gamma = 1, lambda = 0.1, folds = 3, seed = 1,
                     class.weights = cbind(low = 1:2, high = 1)), d, NULL),
  cells = list(vpsvm(y ~ a + b, d, cells = 3, gamma = 1, lambda = 0.1, folds = 2, seed = 1), d,
               NULL),
  chunks = list(vpsvm(t ~ u + v, numbers, cells = 3, partition = "random", gamma = 1, lambda = 0.1,
                      seed = 1), numbers, NULL),
  sparse = list(vpsvm(as_sparse_matrix(d[c("a", "b")]), d$y, kernel = "polynomial", degree = 2,
                      lambda = 0.1, cells = 2), as.matrix(d[c("a", "b")]), d$y),
  terms = list(vpsvm(t ~ poly(u, 2) + k:v, tinted, gamma = 1, lambda = 0.1), tinted, NULL),
  factors = list(vpsvm(t ~ u + k, tinted, gamma = 1, lambda = 0.1), tinted, NULL),
  hgsvm = list(hgsvm(y ~ a + b, d, architectures = list(hg_inhomogeneous(2), hg_kernel(list(1, 2))),
                     steps = 2, gamma = 1, lambda = 0.1, folds = 2, seed = 1), d, NULL),
  hg_kernel = list(hg_kernel(list(list("a", "b"), "b"), c(1, 2)), d[c("a", "b")], d$y),
  gamma_dmm = list(gamma_dmm(y ~ a + b, d), d[c("a", "b")], d$y),
  kbp = list(kbp(t ~ u, numbers, kernels = list("radial", wave, hg_inhomogeneous(1)),
                 bandwidths = c(0.5, 1), max.steps = 6, folds = 3, seed = 1), numbers, NULL),
  kbp_given = list(kbp(as.matrix(numbers["u"]), numbers$t, bandwidths = 1, stop = "none",
                       max.steps = 4, kernels = list("radial", as.matrix(numbers["v"]))),
                   as.matrix(numbers["u"]), numbers$t, list(as.matrix(numbers["v"]))),
  kbp_classes = list(kbp(Species ~ ., three, bandwidths = c(0.5, 2), bound = 1, folds = 3,
                         probability = TRUE, seed = 1), three, NULL),
  kbp_several = list(kbp(cbind(t, v) ~ u, numbers, bandwidths = c(0.5, 2), stop = "none",
                         max.steps = 4), numbers, NULL),
  kos = list(kos(Species ~ ., three, gamma = 1, probability = TRUE, folds = 3, seed = 1), three,
             NULL),
  kos_centered = list(kos(y ~ a + b, d, gamma = 1, centered = TRUE, max.class = 5), d, NULL),
  rmekl = list(rmekl(Species ~ ., three, c = c(0.1, 1), lambda = 1, folds = 3, probability = TRUE,
                     kernels = list("linear", "radial", wave), seed = 1), three, NULL),
  mhks = list(mhks(Species ~ ., three, c = 0.1, multiclass = "ovr"), three, NULL),
  kmhks = list(kmhks(y ~ a + b, d, c = 0.1), d, NULL),
  svm2k = list(svm2k(y ~ a + b, few, cost = 1, D = 0.5), few, NULL)
))

# A share of the tries, the same ones each time, or all of them where FLEXKERN_DAMAGE is "all".
damage_cases <- function(models, share) {
  Map(function(m, name) {
    case <- list(name = name, model = m[[1]], newdata = m[[2]], y = m[[3]],
                 blocks = if (length(m) > 3) m[[4]], tries = damage_tries(m[[1]]))
    sampled <- (seq_along(case$tries) * 2654435761) %% 2^32 < share * 2^32
    labels <- vapply(case$tries, function(try) try_label(case, try), "")
    # An index for the core that is out of range, once and for all.
    case$tries <- case$tries[sampled | grepl("kbp$blocks[[1]]$columns (", labels, fixed = TRUE)]
    case
  }, models, names(models))
}

test_that("a damaged model is answered or refused in our words, and ends no process", {
  share <- if (identical(Sys.getenv("FLEXKERN_DAMAGE"), "all")) 1 else 0.008
  models <- whole_models()
  for (name in names(models)) {
    uses <- model_uses(list(model = models[[name]][[1]]))
    expect_gt(length(uses), 3)
  }
  cases <- damage_cases(models, share)
  expect_gt(sum(lengths(lapply(cases, `[[`, "tries"))), 200)
  expect_identical(damage_report(cases), character())
})

test_that("something else of the class of a model is refused", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  chosen <- c("two", "hgsvm", "hg_kernel", "gamma_dmm", "kbp_several", "kos", "kmhks", "svm2k")
  for (m in whole_models()[chosen]) {
    uses <- model_uses(list(model = m[[1]], newdata = m[[2]], y = m[[3]]))
    others <- list(1, "a", list(), list(1, 2), list(version = "0.1.0"), list(version = factor("a")),
                   function(x) x, new.env())
    for (other in others) {
      class(other) <- class(m[[1]])
      utils::capture.output(said <- stray_answers(other, uses))
      expect_identical(said, stats::setNames(character(), character()))
    }
  }
})

test_that("weights in another order than the rows that were held out are refused", {
  broken <- quietly(vpsvm(y ~ a + b, d, gamma = 1, lambda = 0.1, folds = 3, seed = 1,
                          weights = c(0, rep(1:2, 9), 1)))
  broken$cv$weights <- rev(broken$cv$weights)
  expect_flexkern_error(predict(broken, d, interval = "conformal"), "do not fit together")
})
