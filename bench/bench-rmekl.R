# Several kernels at once: rmekl() by each basis, its parents, svm2k() and e1071's svm(), with given
# penalties, on letters (the first against the second half of the alphabet).
#
#   Rscript bench/bench-rmekl.R [n=1000,2000] [rank=100] [test=4000]
#
# Processor seconds of the fit and of the prediction of `test` rows, test error, and the size of the
# model.
source("bench/common.R")

a <- arguments(n = c(1000, 2000), rank = 100, test = 4000)
options(flexkern.verbose = FALSE)

given <- function(...) {
  function(d) {
    flexkern::rmekl(d$x, factor(d$y), c = 0.1, lambda = 1, ...)
  }
}
ways <- list(
  elimination = given(), "cholesky, bounded" = given(basis = "cholesky", max.rank = a$rank),
  full = given(basis = "full"),
  mhks = function(d) flexkern::mhks(d$x, factor(d$y), c = 0.1),
  kmhks = function(d) flexkern::kmhks(d$x, factor(d$y), c = 0.1),
  svm2k = function(d) flexkern::svm2k(d$x, factor(d$y), cost = 1, D = 1, xi = 1e-2)
)
if (installed("e1071")) ways$"e1071::svm" <- function(d) e1071::svm(d$x, factor(d$y))

cpu <- function(code) sum(system.time(code)[c("user.self", "sys.self")])

one_run <- function(way, n) {
  d <- half_alphabet(n, 1)
  rows <- rep_len(seq_along(d$test_y), a$test)
  fit <- NULL
  fitting <- cpu(fit <- ways[[way]](d))
  answer <- NULL
  predicting <- cpu(answer <- stats::predict(fit, d$test_x[rows, ]))
  data.frame(method = way, n = n, "fit [s]" = decimals(fitting, 2),
             "predict [s]" = decimals(predicting, 2),
             error = decimals(mean(answer != d$test_y[rows]), 4),
             "model [kB]" = decimals(utils::object.size(fit) / 1e3, 0), check.names = FALSE)
}

rows <- lapply(a$n, function(n) do.call(rbind, lapply(names(ways), one_run, n)))
markdown(do.call(rbind, rows))
