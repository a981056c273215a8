# The tables of kbp.R.

method_names <- c(svm = "eps-SVM, tuned", nu = "nu-LARS", sum = "LARS-sum (the default)",
                  random = "LARS-RV", trap = "LARS-sigma_s", single = "LARS-sum, one bandwidth",
                  vpsvm = "vpsvm()", forest = "randomForest",
                  lars = "one of its LARS rules")

# Means over the repetitions, and in how many of them the method was best.
summarise <- function(runs) {
  runs$won <- stats::ave(runs$mse, runs$problem, runs$rep, FUN = function(e) e == min(e))
  groups <- split(runs, runs[c("problem", "method")], drop = TRUE)
  rows <- lapply(groups, function(g) {
    data.frame(g[1, c("problem", "method")], runs = nrow(g), mse = mean(g$mse),
               sd = stats::sd(g$mse), support = mean(g$support), won = sum(g$won),
               cpu = mean(g$cpu))
  })
  out <- do.call(rbind, rows)
  out[order(match(out$problem, unique(runs$problem)), match(out$method, names(method_names))), ]
}

number <- function(x, digits = 3) {
  ifelse(is.na(x), "-", formatC(x, digits = digits, format = "fg", flag = "#"))
}
spread <- function(x, sd) ifelse(is.na(x), "-", paste0(number(x), " (", number(sd, 2), ")"))

problem_lines <- function(rows, paper) {
  at <- match(paste(rows$problem, rows$method), paste(paper$problem, paper$method))
  c(
    paste0("### ", rows$problem[1], ", ", max(rows$runs), " runs"), "",
    "| method | MSE (sd) | paper | support vectors | wins | cpu [s] |",
    "|---|---:|---:|---:|---:|---:|",
    paste("|", method_names[rows$method], "|", spread(rows$mse, rows$sd), "|",
          spread(paper$mse[at], paper$sd[at]), "|", number(rows$support), "|", rows$won, "|",
          number(rows$cpu, 2), "|"), ""
  )
}

# Is the best rule within one standard deviation of the paper's best mean?
verdict <- function(rows, paper) {
  ours <- rows[rows$method %in% c("nu", "sum", "random", "trap"), ]
  theirs <- paper[paper$problem == rows$problem[1] & paper$method != "svm", ]
  if (nrow(ours) == 0 || nrow(theirs) == 0) return(NULL)
  a <- ours[which.min(ours$mse), ]
  b <- theirs[which.min(theirs$mse), ]
  paste0("* ", rows$problem[1], ": ", number(a$mse), " (", method_names[[a$method]], ") against ",
         number(b$mse), " in the paper (", method_names[[b$method]], "): ",
         if (a$mse <= b$mse + b$sd) "no worse than the paper's mean plus one sd" else
           paste(number((a$mse - b$mse) / b$sd, 2), "sd above the paper's mean"))
}

report_lines <- function(runs, paper) {
  means <- summarise(runs)
  groups <- split(means, factor(means$problem, unique(means$problem)))
  c("# Kernel basis pursuit", "",
    "Mean squared error on test rows, mean and standard deviation over the runs. The trailing",
    "columns of the paper's tables (support vectors, wins) are not legible in the copy at hand.",
    "", unlist(lapply(groups, problem_lines, paper), use.names = FALSE),
    "## Our best rule against the paper's", "",
    unlist(lapply(groups, verdict, paper), use.names = FALSE))
}
