# The artificial problems of Eberts and Steinwart, Optimal learning rates for localized SVMs
# (arXiv:1507.06615), Tables 7 to 11: the global machine (LS), Voronoi cells (VP) and random chunks
# (RC) on types I to V, beside the paper's figures in paper-artificial.csv.
#
#   Rscript artificial.R [reps=10] [n=1000,10000] [types=I,II,III,IV,V] [threads=2] [out=results]
#
# Each run appends one row to OUT/artificial.csv; runs that are there already are not repeated, so
# that a study can be stopped, resumed and extended. The tables and the verdicts go to
# OUT/artificial.md. `out` lies beside this script unless it is an absolute path.
library(flexkern)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "artificial-report.R"))

one_dimensional <- c("I", "II", "III")
pool_size <- 10000
test_size <- 10000

settings_from <- function(given) {
  s <- list(reps = "10", n = "1000,10000", types = "I,II,III,IV,V", threads = "2", out = "results")
  pairs <- strsplit(given, "=", fixed = TRUE)
  names(pairs) <- vapply(pairs, `[`, "", 1)
  stopifnot(all(names(pairs) %in% names(s)), lengths(pairs) == 2)
  s[names(pairs)] <- lapply(pairs, `[`, 2)
  list(reps = as.integer(s$reps), n = as.integer(strsplit(s$n, ",")[[1]]),
       types = strsplit(s$types, ",")[[1]], threads = as.integer(s$threads),
       out = if (startsWith(s$out, "/")) s$out else file.path(here, s$out))
}

# The paper's radii and numbers of chunks. The largest radius is no less than the diameter of the
# inputs: it makes one cell and therefore the LS fit, whose figures it shares.
designs <- function(type) {
  radii <- if (type %in% one_dimensional) c(0.1, 0.25, 0.5, 1) else c(0.25, 0.5, 1, 2)
  chunks <- if (type %in% one_dimensional) c(2, 3, 4, 5, 6, 10, 20) else
    c(2, 5, 10, 15, 20, 40, 50)
  rbind(data.frame(method = "LS", setting = 1), data.frame(method = "VP", setting = radii),
        data.frame(method = "RC", setting = chunks))
}

# All labels of one data set share one scale, whatever the number of rows used for training, as in
# the paper. Smaller training sets are the first rows of the larger ones.
draw <- function(type, rep) {
  d <- vp_artificial(type, pool_size + test_size, seed = 100 * rep + match(type, names(bayes_risk)))
  list(pool = d[seq_len(pool_size), ], test = d[pool_size + seq_len(test_size), ])
}

fit_one <- function(method, setting, x, y, rep, threads) {
  common <- list(x = x, y = y, offset = "none", scale = "none", seed = rep, threads = threads,
                 verbose = FALSE)
  how <- switch(
    method,
    LS = list(partition = "none"),
    VP = list(partition = "voronoi", radius = setting),
    RC = list(partition = "random", cells = setting)
  )
  do.call(vpsvm, c(common, how))
}

run_one <- function(type, n, method, setting, rep, data, threads) {
  inputs <- setdiff(names(data$pool), c("y", "f"))
  train <- data$pool[seq_len(n), ]
  seconds <- system.time(
    fit <- fit_one(method, setting, as.matrix(train[inputs]), train$y, rep, threads)
  )[["elapsed"]]
  predict_seconds <- system.time(
    predicted <- predict(fit, as.matrix(data$test[inputs]), threads = threads)
  )[["elapsed"]]
  predicted <- pmax(-1, pmin(1, predicted))
  data.frame(
    type = type, n = n, method = method, setting = setting, rep = rep,
    cells = length(fit$cell.size), smallest = min(fit$cell.size),
    test.error = signif(mean((predicted - data$test$y)^2), 6),
    l2.error = signif(sqrt(mean((predicted - data$test$f)^2)), 6),
    train.seconds = round(seconds, 3), predict.seconds = round(predict_seconds, 3),
    converged = all(fit$converged)
  )
}

key <- function(runs) with(runs, paste(type, n, method, setting, rep))

append_row <- function(row, file) {
  new <- !file.exists(file)
  utils::write.table(row, file, append = !new, col.names = new, row.names = FALSE, sep = ",")
}

run_missing <- function(s, file) {
  done <- if (file.exists(file)) key(utils::read.csv(file))
  for (rep in seq_len(s$reps)) for (n in s$n) for (type in s$types) {
    todo <- cbind(type = type, n = n, designs(type), rep = rep)
    todo <- todo[!key(todo) %in% done & todo$setting < n, ]
    if (nrow(todo) == 0) next
    data <- draw(type, rep)
    for (i in seq_len(nrow(todo))) {
      append_row(run_one(type, n, todo$method[i], todo$setting[i], rep, data, s$threads), file)
    }
    message(format(Sys.time(), "%H:%M:%S"), "  repetition ", rep, ", n = ", n, ", type ", type)
  }
}

s <- settings_from(commandArgs(trailingOnly = TRUE))
stopifnot(s$n <= pool_size, s$types %in% names(bayes_risk))
dir.create(s$out, showWarnings = FALSE, recursive = TRUE)
runs_file <- file.path(s$out, "artificial.csv")
run_missing(s, runs_file)
paper <- utils::read.csv(file.path(here, "paper-artificial.csv"))
report <- report_lines(utils::read.csv(runs_file), paper)
writeLines(report, file.path(s$out, "artificial.md"))
writeLines(report)
