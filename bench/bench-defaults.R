# Real data, everybody's defaults: vpsvm(), kos() where there are classes, e1071::svm() and ranger()
# with 500 trees. The error is the share of wrong labels, or the mean squared error with the
# response scaled to [-1, 1] by its training range and predictions clipped to it.
#
#   Rscript bench/bench-defaults.R [data=letters,spam,satimage,pima,cpusmall,cadata] [reps=1]
#                                  [threads=2] [who=vpsvm,kos,svm,ranger]
#
# cpusmall and cadata are read from the folder that the variable FLEXKERN_DATA names.
source("bench/common.R")

a <- arguments(data = c("letters", "spam", "satimage", "pima", "cpusmall", "cadata"), reps = 1,
               threads = default_threads(), who = c("vpsvm", "kos", "svm", "ranger"))

# liquidSVM 1.2.4 on the same rows, measured once on a 2-core machine and not run here: the error,
# and the seconds of the fit for orientation. Classification is mcSVM with all pairs (hinge loss),
# but lsSVM for spam and pima; cadata is lsSVM with cells of its partition 6.
liquidsvm_error <- c(letters = 0.0455, spam = 0.0556, satimage = 0.0840, pima = 0.2031,
                     cpusmall = 0.00311, cadata = 0.04884)
liquidsvm_seconds <- c(letters = 214.3, spam = 11.9, satimage = 16.0, pima = 0.86,
                       cpusmall = 46.5, cadata = 29.6)

# ---- data ------------------------------------------------------------------------------------

from_package <- function(name, package, response) {
  if (!installed(package)) return(NULL)
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  frame <- place[[name]]
  list(x = frame[names(frame) != response], y = frame[[response]])
}

from_file <- function(name) {
  frame <- data_file(name)
  if (!is.null(frame)) list(x = frame[setdiff(names(frame), c("y", "split"))], y = frame$y)
}

load_data <- function(name) {
  switch(
    name,
    letters = from_package("LetterRecognition", "mlbench", "lettr"),
    satimage = from_package("Satellite", "mlbench", "classes"),
    pima = from_package("PimaIndiansDiabetes", "mlbench", "diabetes"),
    spam = from_package("spam", "kernlab", "type"),
    from_file(name)
  )
}

training_rows <- function(name, n) {
  if (name == "letters") return(1:16000)
  if (name == "satimage") return(1:4435)
  set.seed(42)
  sample(n, floor(0.75 * n))
}

split_data <- function(name) {
  all <- load_data(name)
  if (is.null(all)) return(NULL)
  x <- as.matrix(all$x)
  storage.mode(x) <- "double"
  train <- training_rows(name, nrow(x))
  y <- if (is.factor(all$y)) all$y else to_unit(all$y, range(all$y[train]))
  list(x = x[train, ], y = y[train], test_x = x[-train, ], test_y = y[-train])
}

# ---- contestants -----------------------------------------------------------------------------

fitters <- list(
  vpsvm = function(d) flexkern::vpsvm(d$x, d$y, threads = a$threads, verbose = FALSE),
  kos = function(d) flexkern::kos(d$x, d$y, threads = a$threads, verbose = FALSE),
  svm = function(d) e1071::svm(d$x, d$y),
  ranger = function(d) {
    ranger::ranger(x = d$x, y = d$y, num.trees = 500, num.threads = a$threads)
  }
)
packages <- c(vpsvm = "flexkern", kos = "flexkern", svm = "e1071", ranger = "ranger")

predictors <- list(
  vpsvm = function(fit, x) stats::predict(fit, x, threads = a$threads),
  kos = function(fit, x) stats::predict(fit, x, threads = a$threads),
  svm = function(fit, x) stats::predict(fit, x),
  ranger = function(fit, x) stats::predict(fit, x, num.threads = a$threads)$predictions
)

test_error <- function(predicted, y) {
  if (is.factor(y)) mean(as.character(predicted) != as.character(y)) else
    squared_error(predicted, y)
}

one_run <- function(who, name, d, rep) {
  set.seed(rep)
  fit_time <- elapsed(fit <- fitters[[who]](d))
  predict_time <- elapsed(p <- predictors[[who]](fit, d$test_x))
  data.frame(who = who, data = name, fit = fit_time, predict = predict_time,
             error = test_error(p, d$test_y))
}

a$who <- Filter(function(who) installed(packages[[who]]), a$who)
runs <- sizes <- NULL
for (name in a$data) {
  d <- split_data(name)
  if (is.null(d)) next
  sizes[name] <- sprintf("%s (%d + %d, %d)", name, nrow(d$x), nrow(d$test_x), ncol(d$x))
  for (rep in seq_len(a$reps)) for (who in a$who) {
    if (who == "kos" && is.numeric(d$y)) next
    runs <- rbind(runs, one_run(who, name, d, rep))
  }
  message(name, " done")
}

# ---- table -----------------------------------------------------------------------------------

per_method <- function(g, digits) {
  data.frame(
    data = sizes[[g$data[1]]], method = g$who[1], error = decimals(mean(g$error), digits),
    "fit [s]" = decimals(stats::median(g$fit), 2),
    "predict [s]" = decimals(stats::median(g$predict), 2), check.names = FALSE
  )
}

per_data <- function(g) {
  digits <- if (max(g$error) < 0.01) 5 else 4
  rows <- lapply(split(g, factor(g$who, a$who), drop = TRUE), per_method, digits)
  name <- g$data[1]
  earlier <- data.frame(
    data = sizes[[name]], method = "liquidSVM, measured before",
    error = decimals(liquidsvm_error[[name]], digits),
    "fit [s]" = decimals(liquidsvm_seconds[[name]], 2), "predict [s]" = "-", check.names = FALSE
  )
  do.call(rbind, c(rows, list(earlier)))
}

cat("\nDefaults, ", a$threads, " threads (svm: 1); errors are means, times medians of ", a$reps,
    if (a$reps == 1) " run" else " runs", ".\nData: rows to learn from + rows to test, columns.\n",
    sep = "")
groups <- split(runs, factor(runs$data, a$data), drop = TRUE)
markdown(do.call(rbind, lapply(groups, per_data)))
