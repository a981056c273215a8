# Two threads everywhere, and no progress lines.
options(flexkern.threads = 2, flexkern.verbose = FALSE)

# The fitters under the contract; a new method joins by one entry. `quick` fixes the parameters, so
# that nothing is searched; `small` searches a small grid; `one.machine` asks for one full Gram
# matrix; `base` are the arguments that keep a fuzzed fit quick; `options` make a quick fit of
# `fit`, `change` is another value for one of them and `ranges` several for tune(); `caret` is the
# name that caret_method() knows; `variants` are other ways to fit; `constant.x`: constant columns
# make a constant model; `regression`: numbers are a response too; `sum.loss`: the loss is a sum,
# whose weight against the penalty grows with the rows; `row.parts`: rows are parted at random, so
# that a row and its copy have different roles; `precise`: arguments that leave nothing to a
# stopping rule.
fitters <- list(
  vpsvm = list(
    fit = vpsvm,
    quick = function(...) vpsvm(..., gamma = 1, lambda = 1e-2),
    small = function(...) vpsvm(..., gamma = c(0.3, 3), lambda = c(1e-1, 1e-3)),
    one.machine = list(cells = 1), base = list(folds = 2, gamma = 1, lambda = c(0.1, 1)),
    options = list(gamma = 1, lambda = 0.01), change = list(lambda = 0.1),
    precise = list(tol = 1e-6, clip = FALSE),
    variants = list(list(cells = 4), list(cells = 3, partition = "random"),
                    list(validation = "split")),
    ranges = list(gamma = c(0.1, 1), lambda = 0.01), summary = "Cells", caret = "vpsvm",
    probability = TRUE, class.weights = TRUE, importance = TRUE, sparse = TRUE, constant.x = TRUE,
    regression = TRUE
  ),
  kbp = list(
    fit = kbp,
    quick = function(..., scale = "range") {
      kbp(..., bandwidths = 0.6, stop = "none", max.steps = 25, scale = scale)
    },
    small = function(...) kbp(..., bandwidths = c(0.7, 2)),
    base = list(folds = 2, bandwidths = c(0.5, 1), bound = 0.5),
    options = list(bandwidths = 1, bound = 0.3), change = list(bound = 0.5),
    ranges = list(bandwidths = c(0.5, 1), bound = 0.5), summary = "Kernels",
    probability = TRUE, class.weights = TRUE, importance = TRUE, sparse = FALSE, constant.x = FALSE,
    regression = TRUE
  ),
  kos = list(
    fit = kos,
    quick = function(...) kos(..., gamma = 1),
    small = function(..., folds = 3) kos(..., gamma = 1, folds = folds),
    one.machine = list(max.class = 1e9), base = list(gamma = 1, type = "classification"),
    options = list(gamma = 1, energy = 0.9), change = list(energy = 0.5),
    variants = list(list(max.class = 60), list(centered = TRUE)),
    ranges = list(gamma = c(0.1, 1), energy = 0.9), summary = "Subspaces",
    probability = TRUE, class.weights = FALSE, importance = TRUE, sparse = FALSE,
    constant.x = FALSE, regression = FALSE
  ),
  rmekl = list(
    fit = rmekl,
    quick = function(...) rmekl(..., c = 0.5, lambda = 1),
    small = function(...) rmekl(..., c = c(0.1, 1), lambda = 1),
    one.machine = list(basis = "elimination"),
    base = list(folds = 2, c = c(0.1, 1), lambda = 1, type = "classification"),
    options = list(c = 0.5, lambda = 1), change = list(c = 2),
    variants = list(list(basis = "cholesky", max.rank = 8), list(multiclass = "ovr")),
    ranges = list(c = c(0.1, 1), lambda = 1), summary = "Machines",
    probability = TRUE, class.weights = TRUE, importance = TRUE, sparse = FALSE,
    constant.x = FALSE, regression = FALSE, sum.loss = TRUE
  ),
  hgsvm = list(
    fit = hgsvm,
    quick = function(..., architectures = "inhomogeneous", seed = 1) {
      hgsvm(..., architectures = architectures, steps = 2, learn.rows = 200, gamma = 1,
            lambda = 1e-2, seed = seed)
    },
    small = function(..., architectures = "inhomogeneous", steps = 2, seed = NULL) {
      hgsvm(..., architectures = architectures, steps = steps, gamma = c(0.3, 3),
            lambda = c(1e-1, 1e-3), seed = seed)
    },
    one.machine = list(cells = 1),
    base = list(architectures = "inhomogeneous", steps = 1, folds = 2, gamma = 1,
                lambda = c(0.1, 1)),
    options = list(architectures = "inhomogeneous", steps = 1, gamma = 1, lambda = 0.01, seed = 1),
    change = list(lambda = 0.1),
    variants = list(list(cells = 2),
                    list(optimizer = "anneal", anneal = 5, rounds = 1, steps = NULL),
                    list(architectures = NULL)),
    ranges = list(gamma = c(0.1, 1), lambda = 0.01, steps = 1), summary = "Cells",
    probability = TRUE, class.weights = TRUE, importance = TRUE, sparse = FALSE,
    constant.x = TRUE, regression = TRUE, row.parts = TRUE
  )
)

# The machines of vpsvm() under its other losses: one for classes, one for numbers each. `pairs`:
# one machine per pair of classes.
under <- function(classes, numbers, ...) {
  fit <- function(...) {
    tryCatch(classes(...), flexkern_error = function(e) {
      if (!grepl("is numeric", conditionMessage(e), fixed = TRUE)) stop(e)
      numbers(...)
    })
  }
  # caret calls vpsvm() itself, which is under the contract.
  utils::modifyList(fitters$vpsvm, list(
    caret = NULL, quick = function(...) fit(..., gamma = 1, lambda = 1e-2),
    small = function(...) fit(..., gamma = c(0.3, 3), lambda = c(1e-1, 1e-3)), ...
  ))
}
duel <- function(...) vpsvm(..., loss = "hinge", multiclass = "ovo")
level <- function(loss, tau) {
  function(...) vpsvm(..., loss = loss, tau = tau, gamma = c(0.3, 3), lambda = c(1e-1, 1e-3))
}
losses <- list(
  hinge = under(function(...) vpsvm(..., loss = "hinge"),
                function(...) vpsvm(..., loss = "epsilon"),
                options = list(loss = "hinge", gamma = 1, lambda = 0.01)),
  pinball = under(duel, function(...) vpsvm(..., loss = "pinball", tau = 0.3), pairs = TRUE,
                  mirror = level("pinball", 0.7)),
  expectile = under(duel, function(...) vpsvm(..., loss = "expectile", tau = 0.8), pairs = TRUE,
                    mirror = level("expectile", 0.2))
)

under_contract <- c(fitters, losses)

# One test per fitter and case. A case is a function of a fitter's entry.
for_each_fitter <- function(cases) {
  for (name in names(under_contract)) for (case in names(cases)) {
    test_that(paste0(name, ": ", case), {
      cases[[case]](under_contract[[name]])
    })
  }
}

two_classes <- function(n = 40, seed = 1) {
  set.seed(seed)
  y <- factor(rep(c("low", "high"), length.out = n), levels = c("low", "high"))
  data.frame(y, a = rnorm(n) + 3 * (y == "high"), b = rnorm(n), c = runif(n))
}

regression_data <- function(n = 60) {
  set.seed(2)
  d <- data.frame(u = runif(n, -2, 2), v = rnorm(n))
  d$t <- sin(2 * d$u) + 0.1 * rnorm(n)
  d
}

with_group <- function(d = two_classes()) transform(d, k = factor(rep(c("r", "s"), 20)))

as_sparse_matrix <- function(x) Matrix::Matrix(as.matrix(x), sparse = TRUE)

expect_flexkern_error <- function(object, ...) expect_error(object, ..., class = "flexkern_error")

# Predictions at the quick parameters; two models are the same if these are identical.
expect_same_model <- function(a, b, newdata, newdata_b = newdata) {
  expect_identical(predict(a, newdata), predict(b, newdata_b))
}

# A function of a package that the tests use only where it happens to be installed.
from_package <- function(package, name) {
  there <- suppressWarnings(suppressMessages(requireNamespace(package, quietly = TRUE)))
  skip_if_not(there, paste(package, "is not installed"))
  getExportedValue(package, name)
}

get_mlbench <- function(name) {
  env <- new.env()
  utils::data(list = name, package = "mlbench", envir = env)
  env[[name]]
}
