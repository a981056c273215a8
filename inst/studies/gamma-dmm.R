# The width without a search: accuracy and macro precision of machines whose gamma comes from
# gamma_dmm(), under each of its distances, beside a 5-fold search on ten values, and kos() with
# both. For svm() also a search that holds out one fold only, a fifth of the work. After Remaki,
# "RBF kernel parameter formula" (arXiv:2604.01258), whose tables are not open to us: the data sets
# are the ones it names, and two more.
#
#   Rscript gamma-dmm.R [data=leukemia,dna,satimage,pendigits,usps,letter,shuttle]
#                       [methods=vpsvm,kos,svm]
#                       [rules=nn,pair_min,pair_mean,centroid,min,holdout,search]
#                       [threads=2] [out=results]
#
# The data are read from the folder that the variable FLEXKERN_DATA names, with their own split, or
# the customary one; inputs are scaled to [-1, 1] by the training rows. Times are processor seconds,
# which do not depend on what else the machine does. Each run appends one row to OUT/gamma-dmm.csv;
# runs that are there already are not repeated, so that the study can be stopped and resumed. The
# tables go to OUT/gamma-dmm.md. `out` lies beside this script unless it is an absolute path.
library(flexkern)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
distances <- c("nn", "pair_min", "pair_mean", "centroid", "min")
all_rules <- c(distances, "holdout", "search")
all_data <- c("leukemia", "dna", "satimage", "pendigits", "usps", "letter", "shuttle")
all_methods <- c("vpsvm", "kos", "svm")

settings_from <- function(given) {
  s <- list(data = toString(all_data), methods = toString(all_methods), rules = toString(all_rules),
            threads = "2", out = "results")
  pairs <- strsplit(given, "=", fixed = TRUE)
  names(pairs) <- vapply(pairs, `[`, "", 1)
  stopifnot(all(names(pairs) %in% names(s)), lengths(pairs) == 2)
  s[names(pairs)] <- lapply(pairs, `[`, 2)
  s[1:3] <- strsplit(unlist(s[1:3]), ", ?")
  stopifnot(s$data %in% all_data, s$methods %in% all_methods, s$rules %in% all_rules)
  s$threads <- as.integer(s$threads)
  if (!startsWith(s$out, "/")) s$out <- file.path(here, s$out)
  s
}

# ---- data ------------------------------------------------------------------------------------

# Data without a split of their own: the number of first rows that train.
first_rows <- c(leukemia = 38, dna = 2000, satimage = 4435, pendigits = 7494, usps = 7291,
                letter = 15000, shuttle = 43500)

read_data <- function(name) {
  file <- file.path(Sys.getenv("FLEXKERN_DATA"), paste0(name, ".csv.gz"))
  if (!file.exists(file)) stop("No ", basename(file), " in the folder FLEXKERN_DATA.")
  d <- utils::read.csv(file, stringsAsFactors = TRUE)
  train <- if (is.null(d$split)) seq_len(nrow(d)) <= first_rows[[name]] else d$split == "train"
  x <- as.matrix(d[setdiff(names(d), c("y", "split"))])
  storage.mode(x) <- "double"
  low <- apply(x[train, ], 2, min)
  width <- apply(x[train, ], 2, max) - low
  x <- sweep(sweep(x, 2, low + width / 2), 2, ifelse(width > 0, width / 2, Inf), "/")
  y <- factor(d$y)
  list(x = x[train, ], y = y[train], test_x = x[!train, ], test_y = y[!train])
}

# ---- methods ---------------------------------------------------------------------------------

# Ten values around the width of the median heuristic.
grid_of <- function(x) gamma_median(x) * 4^seq(-3, 3, length.out = 10)

fit_vpsvm <- function(d, gamma, threads) {
  vpsvm(d$x, d$y, gamma = gamma, scale = "none", threads = threads, seed = 1, verbose = FALSE)
}
fit_svm <- function(d, gamma, threads) {
  e1071::svm(d$x, d$y, gamma = gamma, cost = 10, scale = FALSE)
}
fit_kos <- function(d, gamma, threads, ...) {
  kos(d$x, d$y, gamma = gamma, scale = "none", threads = threads, verbose = FALSE, ...)
}

search_svm <- function(d, folds) {
  fold <- sample(rep_len(1:5, length(d$y)))
  error <- vapply(grid_of(d$x), function(gamma) {
    mean(vapply(folds, function(v) {
      part <- list(x = d$x[fold != v, ], y = d$y[fold != v])
      mean(stats::predict(fit_svm(part, gamma), d$x[fold == v, ]) != d$y[fold == v])
    }, 0))
  }, 0)
  fit_svm(d, grid_of(d$x)[which.min(error)])
}

searched <- list(
  vpsvm = function(d, threads) fit_vpsvm(d, grid_of(d$x), threads),
  svm = function(d, threads) search_svm(d, 1:5),
  kos = function(d, threads) {
    error <- vapply(grid_of(d$x), function(gamma) {
      suppressWarnings(fit_kos(d, gamma, threads, folds = 5, seed = 1))$cv.error
    }, 0)
    fit_kos(d, grid_of(d$x)[which.min(error)], threads)
  }
)

closed <- list(vpsvm = fit_vpsvm, svm = fit_svm, kos = fit_kos)

macro_precision <- function(predicted, truth) {
  counts <- table(factor(predicted, levels(truth)), truth)
  mean((diag(counts) / rowSums(counts))[rowSums(counts) > 0])
}

gamma_used <- function(fit) signif(mean(fit$gamma), 6)

run_one <- function(name, method, rule, d, threads) {
  set.seed(1)
  used <- system.time({
    fit <- if (rule == "search") {
      searched[[method]](d, threads)
    } else if (rule == "holdout") {
      search_svm(d, 1)
    } else {
      g <- suppressWarnings(gamma_dmm(d$x, d$y, rule, scale = "none", threads = threads))
      closed[[method]](d, as.numeric(g), threads)
    }
  })
  predicted <- stats::predict(fit, d$test_x)
  data.frame(
    data = name, method = method, rule = rule, gamma = gamma_used(fit),
    accuracy = round(mean(predicted == d$test_y), 5),
    precision = round(macro_precision(predicted, d$test_y), 5), seconds = round(sum(used[1:2]), 3)
  )
}

# ---- runs ------------------------------------------------------------------------------------

key <- function(runs) paste(runs$data, runs$method, runs$rule)

run_missing <- function(s, file) {
  done <- if (file.exists(file)) key(utils::read.csv(file))
  methods <- setdiff(s$methods, if (!requireNamespace("e1071", quietly = TRUE)) "svm")
  for (name in s$data) {
    todo <- expand.grid(rule = s$rules, method = methods, data = name, stringsAsFactors = FALSE)
    todo <- todo[!key(todo) %in% done & (todo$rule != "holdout" | todo$method == "svm"), ]
    if (nrow(todo) == 0) next
    d <- read_data(name)
    for (i in seq_len(nrow(todo))) {
      row <- run_one(name, todo$method[i], todo$rule[i], d, s$threads)
      new <- !file.exists(file)
      utils::write.table(row, file, append = !new, col.names = new, row.names = FALSE, sep = ",")
      message(format(Sys.time(), "%H:%M:%S"), "  ", key(row))
    }
  }
}

# ---- report ----------------------------------------------------------------------------------

table_of <- function(runs, value, digits) {
  wide <- tapply(runs[[value]], list(paste(runs$data, runs$method), runs$rule), mean)
  wide <- wide[, intersect(all_rules, colnames(wide)), drop = FALSE]
  cell <- ifelse(is.na(wide), "-", formatC(wide, digits = digits, format = "f"))
  c(paste("| data, method |", paste(colnames(wide), collapse = " | "), "|"),
    paste0("|---|", strrep("---:|", ncol(wide))),
    paste("|", rownames(wide), "|", apply(cell, 1, paste, collapse = " | "), "|"), "")
}

# The default distance beside a search, over the data sets that have both.
totals <- function(runs, rule) {
  both <- merge(runs[runs$rule == "nn", ], runs[runs$rule == rule, ], c("data", "method"))
  rows <- vapply(split(both, both$method), function(b) {
    c(nrow(b), sum(b$accuracy.x >= b$accuracy.y - 0.01), sum(b$seconds.x), sum(b$seconds.y))
  }, numeric(4))
  number <- function(v) formatC(v, digits = 1, format = "f")
  c(paste("| method | data sets | nn within 0.01 | nn [s] |", rule, "[s] | ratio |"),
    "|---|---:|---:|---:|---:|---:|",
    paste("|", colnames(rows), "|", rows[1, ], "|", rows[2, ], "|", number(rows[3, ]), "|",
          number(rows[4, ]), "|", number(rows[4, ] / rows[3, ]), "|"), "")
}

report_lines <- function(runs) {
  c("# The width from gamma_dmm() and from a search", "", "## Accuracy on the test rows", "",
    table_of(runs, "accuracy", 4), "## Macro precision", "", table_of(runs, "precision", 4),
    "## Processor seconds of the fit, the width's included", "", table_of(runs, "seconds", 2),
    "## The default distance and a search", "",
    unlist(lapply(intersect(c("search", "holdout"), runs$rule), totals, runs = runs)))
}

s <- settings_from(commandArgs(trailingOnly = TRUE))
dir.create(s$out, showWarnings = FALSE, recursive = TRUE)
runs_file <- file.path(s$out, "gamma-dmm.csv")
run_missing(s, runs_file)
report <- report_lines(utils::read.csv(runs_file))
writeLines(report, file.path(s$out, "gamma-dmm.md"))
writeLines(report)
