# vpsvm() with its default settings beside liquidSVM's cells and e1071's default machine, on data
# sets of tens of thousands of rows and the same number of threads. liquidSVM cuts into cells too
# (partition_choice = 6): lsSVM for two classes, mcSVM with its default hinge loss for more. Letters
# it fits uncut (partition_choice = 0). It expects scaled columns and gets them in [0, 1] by the
# training rows. Contestants take turns; every run is printed when it ends.
#
#   Rscript bench/bench-cells.R [data=shuttle,cod_rna,ijcnn1,letters] [who=flexkern,liquidSVM,e1071]
#                               [reps=3] [threads=2] [cap=50000 test rows] [csv=FILE for every run]
#                               [args=R code of further arguments of vpsvm(), such as overlap=0]
source("bench/common.R")

a <- arguments(data = c("shuttle", "cod_rna", "ijcnn1", "letters"),
               who = c("flexkern", "liquidSVM", "e1071"), reps = 3, threads = default_threads(),
               cap = 50000, csv = "", args = "")

# ---- data ------------------------------------------------------------------------------------

# A file with a column y and, where the authors fixed it, a column split.
from_file <- function(name, rows = NULL) {
  d <- data_file(name)
  if (is.null(d)) return(NULL)
  train <- if ("split" %in% names(d)) which(d$split == "train") else rows
  list(x = as.matrix(d[setdiff(names(d), c("y", "split"))]), y = factor(d$y), train = train)
}

load_data <- list(
  shuttle = function() from_file("shuttle", 1:43500),
  cod_rna = function() from_file("cod_rna"),
  ijcnn1 = function() from_file("ijcnn1"),
  letters = function() if (installed("mlbench")) c(letters_data(), list(train = 1:16000))
)

# The test rows: `random` of them at most, drawn with a seed, and the `first` as many.
prepare <- function(name) {
  d <- load_data[[name]]()
  if (is.null(d)) return(NULL)
  test <- setdiff(seq_along(d$y), d$train)
  set.seed(9)
  random <- if (length(test) > a$cap) sort(sample(test, a$cap)) else test
  list(name = name, x = d$x[d$train, ], y = d$y[d$train], test_x = d$x[random, ],
       test_y = d$y[random], first_x = d$x[utils::head(test, a$cap), ],
       first_y = d$y[utils::head(test, a$cap)], capped = length(test) > a$cap)
}

unit_columns <- function(d) {
  low <- apply(d$x, 2, min)
  width <- apply(d$x, 2, max) - low
  scaled <- function(x) as.data.frame(sweep(sweep(x, 2, low), 2, ifelse(width == 0, 1, width), "/"))
  d[c("x", "test_x", "first_x")] <- lapply(d[c("x", "test_x", "first_x")], scaled)
  d
}

# ---- contestants: fit, and a function that predicts labels -----------------------------------

further <- eval(parse(text = paste0("list(", a$args, ")")))

fit_flexkern <- function(d, rep) {
  arguments <- list(d$x, d$y, threads = a$threads, seed = rep, verbose = FALSE)
  fit <- do.call(flexkern::vpsvm, c(arguments, further))
  function(x) stats::predict(fit, x, threads = a$threads)
}

fit_liquidsvm <- function(d, rep) {
  set.seed(rep)
  cells <- if (d$name == "letters") 0 else 6
  options <- list(threads = a$threads, partition_choice = cells, random_seed = rep)
  if (nlevels(d$y) > 2) {
    fit <- do.call(liquidSVM::mcSVM, c(list(d$x, d$y), options))
    return(function(x) stats::predict(fit, x))
  }
  fit <- do.call(liquidSVM::lsSVM, c(list(d$x, ifelse(d$y == levels(d$y)[1], -1, 1)), options))
  function(x) levels(d$y)[1 + (stats::predict(fit, x) > 0)]
}

fit_e1071 <- function(d, rep) {
  fit <- e1071::svm(d$x, d$y)
  function(x) stats::predict(fit, x)
}

contestants <- list(flexkern = fit_flexkern, liquidSVM = fit_liquidsvm, e1071 = fit_e1071)
contestants <- contestants[Filter(installed, intersect(names(contestants), a$who))]

# ---- runs ------------------------------------------------------------------------------------

error_of <- function(predicted, y) mean(as.character(predicted) != as.character(y))

one_run <- function(who, d, rep) {
  gc(FALSE)
  unbind()
  fit_time <- elapsed(labels <- contestants[[who]](d, rep))
  predict_time <- elapsed(predicted <- labels(d$test_x))
  run <- data.frame(
    who = who, data = d$name, rep = rep, train = nrow(d$x), test = nrow(d$test_x), fit = fit_time,
    predict = predict_time, rate = nrow(d$test_x) / predict_time,
    error = error_of(predicted, d$test_y),
    first = if (d$capped) error_of(labels(d$first_x), d$first_y) else NA
  )
  cat(sprintf("%-10s %-8s rep %d: fit %.1f s, predict %.2f s, error %.5f\n", who, d$name, rep,
              run$fit, run$predict, run$error))
  run
}

runs <- NULL
for (name in a$data) {
  d <- prepare(name)
  if (is.null(d)) next
  scaled <- unit_columns(d)
  for (rep in seq_len(a$reps)) for (who in names(contestants)) {
    runs <- rbind(runs, one_run(who, if (who == "liquidSVM") scaled else d, rep))
    if (nzchar(a$csv)) utils::write.csv(runs, a$csv, row.names = FALSE)
  }
}

# ---- table -----------------------------------------------------------------------------------

per_contestant <- function(g) {
  data.frame(
    data = g$data[1], train = g$train[1], test = g$test[1], who = g$who[1], runs = nrow(g),
    "fit [s]" = decimals(stats::median(g$fit), 1),
    "predict [s]" = decimals(stats::median(g$predict), 2),
    "rows/s" = decimals(stats::median(g$rate), 0),
    error = decimals(stats::median(g$error), 5),
    "error, first rows" = decimals(stats::median(g$first), 5),
    check.names = FALSE
  )
}

if (is.null(runs)) stop("No data and so no runs.", call. = FALSE)
cat("\nDefault settings, ", a$threads, " threads, medians of ", a$reps, " runs\n(error: at most ",
    a$cap, " random test rows; first rows: on as many rows from the beginning)\n", sep = "")
who <- factor(runs$who, names(contestants))
groups <- split(runs, list(who, factor(runs$data, a$data)), drop = TRUE)
markdown(do.call(rbind, lapply(groups, per_contestant)))
