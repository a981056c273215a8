# Machines under the hinge and the pinball loss beside other packages: test errors of e1071's svm()
# and kernlab's ksvm() on five data sets, and of kernlab's kqr(), ranger's quantile forest and,
# where it is installed, liquidSVM's qtSVM() on three.
#
#   Rscript losses.R [parts=hinge,pinball] [data=letters,spam,pima,cod_rna,ijcnn1,cpusmall,cadata,
#                    type1] [methods=vpsvm,svm,ksvm,kqr,ranger,qtSVM] [splits=5] [pima.splits=20]
#                    [rows=5000] [quantile.rows=1000] [threads=1] [out=results]
#
# A split draws `rows` training rows where there are more, else three quarters; up to 10 000 of the
# others test. svm() is tuned by five folds on gamma = 4^(-3 .. 1) and cost = 4^(0 .. 4), ksvm() on
# the same costs with the width of sigest(); kqr() on three costs by a quarter of the rows. Inputs
# are scaled to [-1, 1] by the training rows for all. Each run appends one row to OUT/losses.csv;
# runs that are there already are not repeated, so that the study can be stopped, resumed and
# extended; the first split of all data comes first. The tables go to OUT/losses.md. Seconds are
# those of the processor. The data are read from the folder that the variable FLEXKERN_DATA names.
# `out` lies beside this script unless it is an absolute path.
library(flexkern)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "losses-report.R"))
all_data <- list(hinge = c("pima", "cod_rna", "spam", "letters", "ijcnn1"),
                 pinball = c("type1", "cpusmall", "cadata"))
all_methods <- list(hinge = c("vpsvm", "svm", "ksvm"),
                    pinball = c("vpsvm", "ranger", "qtSVM", "kqr"))
levels <- c(0.1, 0.5, 0.9)

settings_from <- function(given) {
  s <- list(parts = "hinge,pinball", data = paste(unlist(all_data), collapse = ","),
            methods = paste(unique(unlist(all_methods)), collapse = ","), splits = "5",
            pima.splits = "20", rows = "5000", quantile.rows = "1000", threads = "1",
            out = "results")
  pairs <- strsplit(given, "=", fixed = TRUE)
  names(pairs) <- vapply(pairs, `[`, "", 1)
  stopifnot(all(names(pairs) %in% names(s)), lengths(pairs) == 2)
  s[names(pairs)] <- lapply(pairs, `[`, 2)
  s[1:3] <- strsplit(unlist(s[1:3]), ",")
  s[4:8] <- lapply(s[4:8], as.integer)
  if (!startsWith(s$out, "/")) s$out <- file.path(here, s$out)
  s
}

s <- settings_from(commandArgs(trailingOnly = TRUE))
options(flexkern.threads = s$threads, flexkern.verbose = FALSE)
dir.create(s$out, showWarnings = FALSE, recursive = TRUE)
results <- file.path(s$out, "losses.csv")

# ---- data ----------------------------------------------------------------------------------------

from_package <- function(package, name) {
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  place[[name]]
}

from_folder <- function(name) {
  d <- utils::read.csv(file.path(Sys.getenv("FLEXKERN_DATA"), paste0(name, ".csv.gz")))
  list(x = as.matrix(d[setdiff(names(d), c("y", "split"))]), y = d$y)
}

read_data <- function(name) {
  switch(
    name,
    letters = {
      d <- from_package("mlbench", "LetterRecognition")
      list(x = as.matrix(d[-1]), y = factor(d$lettr %in% LETTERS[1:13], labels = c("N-Z", "A-M")))
    },
    spam = {
      d <- from_package("kernlab", "spam")
      list(x = as.matrix(d[names(d) != "type"]), y = d$type)
    },
    type1 = {
      d <- vp_artificial("I", 20000, seed = 1)
      list(x = as.matrix(d["x"]), y = d$y)
    },
    from_folder(name)
  )
}

unit <- function(x, low, high) {
  width <- ifelse(high > low, (high - low) / 2, Inf)
  sweep(sweep(x, 2, (low + high) / 2), 2, width, "/")
}

split_data <- function(name, rep, rows) {
  d <- read_data(name)
  set.seed(rep)
  order <- sample.int(nrow(d$x))
  train <- order[seq_len(min(rows, floor(0.75 * nrow(d$x))))]
  test <- utils::head(setdiff(order, train), 10000)
  storage.mode(d$x) <- "double"
  x <- unit(d$x, apply(d$x[train, , drop = FALSE], 2, min),
            apply(d$x[train, , drop = FALSE], 2, max))
  list(x = x[train, , drop = FALSE], y = d$y[train], test_x = x[test, , drop = FALSE],
       test_y = d$y[test])
}

# ---- classification ------------------------------------------------------------------------------

costs <- 4^(0:4)

tuned_svm <- function(d) {
  e1071::tune(e1071::svm, d$x, d$y, scale = FALSE, ranges = list(gamma = 4^(-3:1), cost = costs),
              tunecontrol = e1071::tune.control(cross = 5))$best.model
}

tuned_ksvm <- function(d) {
  sigma <- mean(kernlab::sigest(d$x, scaled = FALSE)[c(1, 3)])
  fit <- function(cost, cross) {
    kernlab::ksvm(d$x, d$y, scaled = FALSE, kpar = list(sigma = sigma), C = cost, cross = cross)
  }
  error <- vapply(costs, function(cost) kernlab::cross(fit(cost, 5)), 0)
  fit(costs[which.min(error)], 0)
}

classify <- function(d, method, rep) {
  fit <- switch(
    method,
    vpsvm = vpsvm(d$x, d$y, loss = "hinge", scale = "none", partition = "none",
                  seed = rep),
    svm = tuned_svm(d),
    ksvm = tuned_ksvm(d)
  )
  predict_labels <- if (method == "ksvm") kernlab::predict else stats::predict
  mean(as.character(predict_labels(fit, d$test_x)) != as.character(d$test_y))
}

run_hinge <- function(name, rep, method) {
  d <- split_data(name, rep, s$rows)
  d$y <- factor(d$y)
  set.seed(rep)
  error <- NULL
  seconds <- cpu(error <- classify(d, method, rep))
  data.frame(n = length(d$y), tau = NA, error = signif(error, 5), covered = NA,
             cpu = round(seconds, 2))
}

# ---- quantiles -----------------------------------------------------------------------------------

pinball <- function(y, q, tau) mean((y - q) * (tau - (y < q)))

# Some costs end in a singular system: those do not count.
tuned_kqr <- function(d, tau) {
  held <- seq_along(d$y) %% 4 == 0
  answer <- function(rows, cost, x) {
    tryCatch({
      fit <- kernlab::kqr(d$x[rows, , drop = FALSE], d$y[rows], scaled = FALSE, tau = tau, C = cost)
      as.vector(kernlab::predict(fit, x))
    }, error = function(e) rep(NA, nrow(x)))
  }
  loss <- vapply(costs_kqr, function(cost) {
    pinball(d$y[held], answer(!held, cost, d$x[held, , drop = FALSE]), tau)
  }, 0)
  for (cost in costs_kqr[order(loss)]) {
    q <- answer(TRUE, cost, d$test_x)
    if (!anyNA(q)) break
  }
  q
}
costs_kqr <- c(0.1, 1, 10)

# liquidSVM binds the process to a core and leaves it there.
quantiles_qtsvm <- function(d) {
  on.exit(parallel::mcaffinity(all_cores))
  fit <- suppressWarnings(
    liquidSVM::qtSVM(as.data.frame(d$x), d$y, weights = levels, threads = s$threads)
  )
  as.matrix(stats::predict(fit, as.data.frame(d$test_x)))
}
all_cores <- parallel::mcaffinity(NULL)

quantiles <- function(d, method, rep) {
  switch(
    method,
    vpsvm = stats::predict(vpsvm(d$x, d$y, loss = "pinball", tau = levels, scale = "none",
                                 partition = "none", seed = rep), d$test_x),
    ranger = stats::predict(
      ranger::ranger(x = d$x, y = d$y, quantreg = TRUE, num.threads = s$threads, seed = rep),
      d$test_x, type = "quantiles", quantiles = levels, num.threads = s$threads
    )$predictions,
    qtSVM = quantiles_qtsvm(d),
    kqr = vapply(levels, function(tau) tuned_kqr(d, tau), numeric(nrow(d$test_x)))
  )
}

# The loss in units of the standard deviation of the responses that test.
run_pinball <- function(name, rep, method) {
  d <- split_data(name, rep, s$quantile.rows)
  set.seed(rep)
  q <- NULL
  seconds <- cpu(q <- quantiles(d, method, rep))
  loss <- vapply(seq_along(levels), function(j) pinball(d$test_y, q[, j], levels[j]), 0)
  covered <- vapply(seq_along(levels), function(j) mean(d$test_y <= q[, j]), 0)
  data.frame(n = length(d$y), tau = levels, error = signif(loss / stats::sd(d$test_y), 5),
             covered = round(covered, 4), cpu = round(seconds, 2))
}

# ---- all runs ------------------------------------------------------------------------------------

cpu <- function(code) {
  seconds <- system.time(code)
  seconds[["user.self"]] + seconds[["sys.self"]]
}

package_of <- c(vpsvm = "flexkern", svm = "e1071", ksvm = "kernlab", kqr = "kernlab",
                ranger = "ranger", qtSVM = "liquidSVM")

is_done <- function(key) {
  if (!file.exists(results)) return(FALSE)
  done <- utils::read.csv(results, colClasses = "character")
  any(Reduce(`&`, lapply(names(key), function(k) done[[k]] == as.character(key[[k]]))))
}

run_once <- function(part, name, rep, method) {
  key <- list(part = part, data = name, split = rep, method = method)
  if (is_done(key) || !requireNamespace(package_of[[method]], quietly = TRUE)) return(invisible())
  row <- data.frame(key, get(paste0("run_", part))(name, rep, method))
  utils::write.table(row, results, append = file.exists(results),
                     col.names = !file.exists(results), row.names = FALSE, sep = ",")
  message(format(Sys.time(), "%H:%M:%S "), paste(unlist(key), collapse = " "))
}

for (rep in seq_len(max(s$splits, s$pima.splits))) for (part in s$parts) {
  for (name in intersect(all_data[[part]], s$data)) {
    if (rep > if (name == "pima") s$pima.splits else s$splits) next
    for (method in intersect(all_methods[[part]], s$methods)) run_once(part, name, rep, method)
  }
}
lines <- report_lines(utils::read.csv(results))
writeLines(lines, file.path(s$out, "losses.md"))
writeLines(lines)
